import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { exitOf, stopChild } from '../../scripts/launcher/child.mjs';
import { readDescription } from '../../scripts/launcher/description.mjs';
import { cacheDir, root } from '../../scripts/launcher/project.mjs';

const startMs = 120_000;

/**
 * A fresh installation under its own supervisor, exactly as `npm start` runs it.
 * @param {NodeJS.ProcessEnv} settings
 * @param {{name?: string}} [options] of its folder in the cache
 */
export async function startInstallation(settings, { name: folder = 'chaos' } = {}) {
  const dataDir = join(cacheDir, folder);
  await rm(dataDir, { recursive: true, force: true });
  const child = spawn(process.execPath, [join(root, 'scripts/start.mjs'), '--no-install', '--data-dir', dataDir], {
    cwd: root,
    stdio: 'ignore',
    env: { ...process.env, ...settings },
  });
  const exited = exitOf(child);
  let ended = '';
  void exited.then((how) => (ended = how));
  for (const until = Date.now() + startMs; !readDescription(dataDir).webhook_url; await pause(100)) {
    if (ended) throw new Error(`Gatehouse ended at start: ${ended}`);
    if (Date.now() > until) throw new Error(`Gatehouse does not start; its logs are in ${dataDir}`);
  }
  const pid = child.pid ?? 0;
  const portOf = (/** @type {string} */ name) =>
    readDescription(dataDir).services?.find((service) => service.name === name)?.port ?? 0;

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @param {string} [projectId] other than the installation's first
   * @returns {Promise<any>}
   */
  async function api(method, path, body, projectId) {
    const { base_url, api_key } = readDescription(dataDir);
    const answer = await fetch(`${base_url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${api_key}`,
        ...(projectId ? { 'x-project-id': projectId } : {}),
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text.slice(0, 300)}`);
    return text ? JSON.parse(text) : null;
  }

  return {
    dataDir,
    api,
    urlOf: (/** @type {string} */ name) => `http://127.0.0.1:${portOf(name)}`,
    /** The current pid of a service, `postgres` or `redis`. */
    pidOf(/** @type {string} */ name) {
      const now = readDescription(dataDir);
      const store = name === 'postgres' ? now.postgres : name === 'redis' ? now.redis : undefined;
      const pidNow = store?.pid ?? now.services?.find((service) => service.name === name)?.pid;
      if (!pidNow) throw new Error(`${name} does not run`);
      return pidNow;
    },
    async close() {
      await stopChild(pid, exited, [
        { signal: 'SIGTERM', waitMs: 60_000 },
        { signal: 'SIGKILL', waitMs: 5_000 },
      ]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof startInstallation>>} Installation */
