import { BlockList, isIP } from 'node:net';
import type { PwpoolConfig } from './model.js';
import type { Violation } from './violations.js';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether only this machine reaches what listens there. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  return family === 0
    ? host.toLowerCase() === 'localhost'
    : LOOPBACK.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Beyond loopback the HTTP server knows who calls, and nobody on the way reads the tokens [arch-security-02]. A value that
 * was refused is undefined here, whatever its type says.
 */
export function checkHttp({ server, origins }: PwpoolConfig): Violation[] {
  const { httpHost, httpTokensFile, httpTlsCert, httpTlsKey, httpBehindProxy } = server;
  const violations: Violation[] = [];
  if (httpHost !== undefined && !isLoopback(httpHost)) {
    const variable = origins.httpHost.name;
    if (httpTokensFile === undefined) {
      violations.push({
        code: 'HTTP_EXPOSED',
        message: `HTTP_HOST=${httpHost} lets other machines in, and there are no tokens to know them by`,
        variable,
        fix: 'Set HTTP_TOKENS_FILE ("pwpool token add NAME" makes one), or HTTP_HOST to 127.0.0.1.',
      });
    }
    if (httpTlsCert === undefined && !httpBehindProxy) {
      violations.push({
        code: 'HTTP_EXPOSED',
        message: `HTTP_HOST=${httpHost} without TLS: tokens could be read on the way`,
        variable,
        fix: 'Set HTTP_TLS_CERT and HTTP_TLS_KEY; or HTTP_BEHIND_PROXY to true if a proxy in front has the TLS.',
      });
    }
  }
  if ((httpTlsCert === undefined) !== (httpTlsKey === undefined)) {
    const [set, missing] =
      httpTlsCert === undefined
        ? (['HTTP_TLS_KEY', 'HTTP_TLS_CERT'] as const)
        : (['HTTP_TLS_CERT', 'HTTP_TLS_KEY'] as const);
    violations.push({
      code: 'UNUSED_SETTING',
      message: `${set} means nothing without ${missing}`,
      variable: (httpTlsCert === undefined ? origins.httpTlsKey : origins.httpTlsCert).name,
      fix: `Set ${missing} too, or remove ${set}.`,
    });
  }
  return violations;
}
