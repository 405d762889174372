import { createServer } from 'node:net';
import type { InstanceConfig, PwpoolConfig } from '@pwpool/core';
import { profileDirectory, profileLocked } from '@pwpool/core/internal';
import type { Finding } from './finding.js';

/** Whether the ports that are configured can be had: those of worker browsers, and of HTTP where somebody chose one. */
export async function checkPorts({ pools, server, origins }: PwpoolConfig): Promise<Finding[]> {
  const workers = pools
    .flatMap(({ instances }) => instances)
    .flatMap(({ pool, id, settings: { cdpPortBase } }) =>
      cdpPortBase === undefined
        ? []
        : [{ port: cdpPortBase + Number(id), whom: `instance ${id} of ${pool}` }],
    );
  const ofWorkers = workers.map(({ port, whom }) =>
    portFinding(port, whom, {
      taken: `${whom} attaches to what answers there`,
      fix: 'Leave it if that is a worker browser of pwpool, else set another CDP_PORT_BASE.',
    }),
  );
  const ofHttp = portFinding(server.httpPort, 'pwpool serve', {
    taken: 'pwpool serve cannot have it',
    fix: 'Set another HTTP_PORT, or end what listens there ("pwpool status" shows servers of pwpool).',
  });
  return await Promise.all([...ofWorkers, ...(origins.httpPort.level === 'built-in' ? [] : [ofHttp])]);
}

async function portFinding(
  port: number,
  whom: string,
  { taken, fix }: { taken: string; fix: string },
): Promise<Finding> {
  const check = `port ${port}`;
  if (await isFree(port)) return { check, status: 'ok', message: `free for ${whom}` };
  return { check, status: 'warning', message: `in use: ${taken}`, fix };
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Whether another browser has a profile open that an instance is to use. */
export function checkProfiles({ pools }: PwpoolConfig): Finding[] {
  const keeping = pools
    .flatMap(({ instances }) => instances)
    .filter(({ settings }) => settings.isolated === false && settings.endpoint === undefined);
  const locked = keeping.flatMap((instance) => profileFinding(instance));
  if (keeping.length === 0 || locked.length > 0) return locked;
  return [{ check: 'profiles', status: 'ok', message: `${keeping.length} on disk, none in use` }];
}

function profileFinding(instance: InstanceConfig): Finding[] {
  const lock = profileLocked(profileDirectory(instance));
  if (!lock) return [];
  const message = `of instance ${instance.id} of ${instance.pool}: ${lock.reason}`;
  return [{ check: 'profile', status: 'failure', message, fix: lock.hint }];
}
