import { styleText } from 'node:util';
import type { Paint } from './table.js';

const STYLES: Readonly<Record<string, Parameters<typeof styleText>[0]>> = {
  healthy: 'green',
  active: 'green',
  starting: 'yellow',
  suspect: 'yellow',
  draining: 'yellow',
  parked: 'yellow',
  revoked: 'yellow',
  failed: 'red',
  crashed: 'red',
  stopped: 'dim',
};

/** Colours the states of instances and sessions on a terminal; nothing elsewhere, or with `NO_COLOR`. */
export function statePaint(): Paint {
  const { NO_COLOR, TERM } = process.env;
  const isColoured = process.stdout.isTTY && (NO_COLOR === undefined || NO_COLOR === '') && TERM !== 'dumb';
  return (text, cell) => {
    const style = isColoured ? STYLES[cell] : undefined;
    return style === undefined ? text : styleText(style, text);
  };
}
