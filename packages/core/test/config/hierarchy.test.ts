import { expect, it } from 'vitest';
import { mergeLayers } from '../../src/config/hierarchy.js';
import type { Layer } from '../../src/config/layer.js';

it('the strongest layer that sets a key at a place wins, each place on its own', () => {
  const layer = (
    source: Layer['source'],
    timeout: number,
    places: Layer['entries'][number]['place'][],
  ): Layer => ({
    source,
    pools: new Set(['A']),
    entries: places.map((place) => ({
      place,
      key: 'TIMEOUT',
      name: `${source} ${place.level}`,
      value: timeout,
    })),
  });
  const everywhere = [
    { level: 'global' },
    { level: 'pool', pool: 'A' },
    { level: 'instance', pool: 'A', id: '0' },
  ] as const;
  const { global, pools } = mergeLayers([
    layer('environment', 1, [{ level: 'global' }]),
    layer('dotenv', 2, [...everywhere]),
    layer('code', 3, [...everywhere]),
  ]);
  expect(global.get('TIMEOUT')).toEqual({
    value: 1,
    origin: { level: 'global', source: 'environment', name: 'environment global' },
  });
  expect(pools.get('A')?.source).toBe('environment');
  expect(pools.get('A')?.settings.get('TIMEOUT')).toMatchObject({ value: 2, origin: { source: 'dotenv' } });
  expect(pools.get('A')?.instances.get('0')?.get('TIMEOUT')).toMatchObject({
    value: 2,
    origin: { level: 'instance' },
  });
});
