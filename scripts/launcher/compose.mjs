import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { folderId, root } from './project.mjs';
import { say } from './say.mjs';

const PROBE_MS = 8_000;
const UP_MS = 300_000;

/** @type {boolean | undefined} */
let engine;

/** @param {string[]} args @param {number} timeout @param {Record<string, string>} [env] */
const docker = (args, timeout, env = {}) =>
  spawnSync('docker', args, { cwd: root, encoding: 'utf8', timeout, env: { ...process.env, ...env } });

/** Whether a Docker engine answers. An installed client alone is not enough. */
export function dockerAnswers() {
  engine ??= docker(['info', '--format', '{{.ServerVersion}}'], PROBE_MS).status === 0;
  return engine;
}

/**
 * The compose project of one data folder. Two installations on one machine must not share a database.
 * @param {string} dataDir
 */
export const composeProject = (dataDir) => `gatehouse-${folderId(dataDir)}`;

/**
 * Starts one service of docker-compose.yml and returns its published port.
 * @param {string} dataDir
 * @param {string} service
 * @param {number} containerPort
 * @param {Record<string, string>} [settings] that override those of .env
 * @returns {{port: number, environment: Record<string, string>, stop: () => Promise<void>} | {reason: string}}
 */
export function composeUp(dataDir, service, containerPort, settings = {}) {
  if (!dockerAnswers()) return { reason: 'no Docker engine answers' };
  if (docker(['compose', 'version'], PROBE_MS).status !== 0) return { reason: 'docker has no compose plugin' };
  if (!['docker-compose.yml', 'compose.yaml'].some((name) => existsSync(join(root, name)))) {
    return { reason: 'there is no compose file' };
  }
  const compose = (/** @type {string[]} */ args, timeout = PROBE_MS) =>
    docker(['compose', '-p', composeProject(dataDir), ...args], timeout, settings);
  say(`Starting ${service} with docker compose …`);
  const up = compose(['up', '-d', '--wait', service], UP_MS);
  if (up.status !== 0) return { reason: `docker compose up failed: ${up.stderr.trim().split('\n').at(-1)}` };
  const stop = async () => void compose(['stop', service], 60_000);
  const port = Number(
    compose(['port', service, String(containerPort)])
      .stdout.trim()
      .split(':')
      .at(-1),
  );
  if (!port) {
    void stop();
    return { reason: `the compose file does not publish ${service}'s port` };
  }
  const config = compose(['config', '--format', 'json']);
  const environment = config.status === 0 ? (JSON.parse(config.stdout).services?.[service]?.environment ?? {}) : {};
  return { port, environment, stop };
}
