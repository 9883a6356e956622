import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ephemeral ports, which any `listen(0)` or outgoing connection may take meanwhile, and above 10080, which fetch
 * refuses as a bad port.
 */
const firstPort = 11_000;
const blockSize = 1_000;
const blocks = 20;

/** Each worker of Jest has its own block: a port stays free until the server binds it, and while it is restarted. */
const block = (Number(process.env['JEST_WORKER_ID'] ?? 1) - 1) % blocks;
let next = randomInt(blockSize);

/** @returns a port of 127.0.0.1 for a server that cannot choose one itself */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < blockSize; tried += 1) {
    const port = firstPort + block * blockSize + next;
    next = (next + 1) % blockSize;
    if (await isFree(port)) return port;
  }
  throw new Error(`no port is free from ${firstPort + block * blockSize} on`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
