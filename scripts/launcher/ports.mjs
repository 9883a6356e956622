import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { writePrivate } from './private-file.mjs';

const HOST = '127.0.0.1';

/**
 * Holds a port so that no other process takes it meanwhile.
 * @param {number} port 0 for any
 * @returns {Promise<import('node:net').Server | null>} null when it is taken
 */
function hold(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen({ port, host: HOST, exclusive: true }, () => resolve(server));
  });
}

/** @param {import('node:net').Server} server */
function portOf(server) {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** @returns {Promise<number>} a free port of 127.0.0.1 */
export async function freePort() {
  const server = await hold(0);
  if (!server) throw new Error('no free port on 127.0.0.1');
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * Chooses a port for each name: the requested one, else last time's if it is still free, else any. Remembered in
 * `file`.
 * @param {string} file
 * @param {Array<{name: string, asked?: number, setting?: string}>} wanted setting: the variable that requested it
 * @returns {Promise<Record<string, number>>}
 * @throws when a requested port is taken
 */
export async function choosePorts(file, wanted) {
  /** @type {Record<string, number>} */
  const last = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  /** @type {Record<string, number>} */
  const ports = {};
  const held = [];
  try {
    // Requested ports first: a free choice must not take one of them.
    for (const { name, asked, setting } of [...wanted].sort((a, b) => Number(b.asked ?? 0) - Number(a.asked ?? 0))) {
      const server = (await hold(asked ?? last[name] ?? 0)) ?? (asked ? null : await hold(0));
      if (!server)
        throw new Error(`Port ${asked} (${setting} for ${name}) is in use: stop what listens there or set another.`);
      held.push(server);
      ports[name] = portOf(server);
    }
  } finally {
    await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  }
  writePrivate(file, ports);
  return ports;
}
