import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { exitOf, stopChild } from '../scripts/launcher/child.mjs';
import { fetchPackage } from '../scripts/launcher/pinned-package.mjs';
import { freePort } from '../scripts/launcher/ports.mjs';
import { cacheDir } from '../scripts/launcher/project.mjs';
import { startHelper } from './processes.mjs';

const server = `@restatedev/restate-server-${process.platform}-${process.arch}`;
/** Restate is not a dependency: only this benchmark runs it. */
const packages = [
  {
    name: '@restatedev/restate-server-linux-x64',
    version: '1.7.12',
    sha512: 'URotJ1AIqaSCDkRMl4OrQfTLH+NYuOZb3ZsP7wxxiuAB6pncgPhTUYSvegTF5PTrAShnNyHNpju9kjf2O3QxoA==',
  },
  {
    name: '@restatedev/restate-server-linux-arm64',
    version: '1.7.12',
    sha512: 'aV7YxWvPhp88MjQtObGDhDCTwCBa68wwZOAMmJqDreO0auHYuSfOqabEx4I90coZsx3zShNusppbTPKprOa+dw==',
  },
  {
    name: '@restatedev/restate-sdk',
    version: '1.17.2',
    sha512: 'h1mZqFrkvzWNvTYVPA4WnlqwEzL0eg03//8RV0EGrovjePEDm43ec/PbiN1S7HOP6+6eAhEN7yiLFwUJG9A/yg==',
  },
  {
    name: '@restatedev/restate-sdk-core',
    version: '1.17.2',
    sha512: 'nq3QexkGkKpNjMHfqs7xhqOwtfO+EYXlp5Oe3L/ig1USocmyrif8EdYk2S9UUp+ybDLdwHb1MGlcXe98i/KM4w==',
  },
].filter(({ name }) => name === server || !name.includes('-server-'));

/** @returns {Promise<string>} the folder that has them in its node_modules */
async function installed() {
  const home = join(cacheDir, 'bench', 'restate-packages');
  for (const pinned of packages) {
    const folder = join(home, 'node_modules', pinned.name);
    if (existsSync(folder)) continue;
    mkdirSync(dirname(folder), { recursive: true });
    const at = mkdtempSync(join(home, 'fetch-'));
    execFileSync('tar', ['xzf', await fetchPackage(pinned, at), '-C', at]);
    renameSync(join(at, 'package'), folder);
    rmSync(at, { recursive: true, force: true });
  }
  return home;
}

/** @returns {boolean} whether there is a Restate server for this platform */
export const hasRestate = () => packages.some(({ name }) => name === server);

/**
 * Restate on one node with its defaults, and a service that does what Gatehouse does for a message: it checks the
 * signature, then runs three stored steps, the last of which posts the reply.
 * @param {{secret: string, sinkUrl: string}} options
 */
export async function startRestate({ secret, sinkUrl }) {
  const home = await installed();
  const dir = join(cacheDir, 'bench', 'restate');
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const [ingress, admin, node] = [await freePort(), await freePort(), await freePort()];
  const log = openSync(join(dir, 'server.log'), 'a');
  const child = spawn(
    join(home, 'node_modules', server, 'bin', 'restate-server'),
    ['--node-name', 'bench', '--base-dir', join(dir, 'data')],
    {
      env: {
        ...process.env,
        RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
        RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
        RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
        RESTATE_LOG_FILTER: 'warn',
        DO_NOT_TRACK: '1',
      },
      stdio: ['ignore', log, log],
    },
  );
  const exited = exitOf(child);
  const pid = child.pid ?? 0;
  const service = await startHelper('receivers/restate-service.mjs', { home, secret, sinkUrl });
  const register = async () => {
    const answer = await fetch(`http://127.0.0.1:${admin}/deployments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ uri: `http://127.0.0.1:${service.ready.port}` }),
    }).catch(() => null);
    return answer?.ok === true;
  };
  for (let tries = 0; !(await register()); tries += 1) {
    if (tries > 300) throw new Error(`Restate does not take the service: see ${join(dir, 'server.log')}`);
    await pause(200);
  }
  return {
    url: `http://127.0.0.1:${ingress}/Webhook/receive/send`,
    pids: { 'restate-server': pid, 'its service': service.pid },
    stop: async () => {
      await service.stop();
      await stopChild(pid, exited, [
        { signal: 'SIGTERM', waitMs: 10_000 },
        { signal: 'SIGKILL', waitMs: 2_000 },
      ]);
    },
  };
}
