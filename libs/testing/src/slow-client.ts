import { connect, type Socket } from 'node:net';

/** A client that sends whatever it is asked to, and records what arrives. */
export interface SlowClient {
  socket: Socket;
  /** The answer received so far. */
  received: string;
  /** Resolves when the other side has closed. */
  closed: Promise<void>;
}

/**
 * @param url `http://host:port`
 * @param opening the first bytes of a request
 */
export function slowClient(url: string, opening: string): Promise<SlowClient> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const closed = new Promise<void>((done) => socket.once('close', () => done()));
    const client: SlowClient = { socket, received: '', closed };
    socket.on('data', (chunk) => (client.received += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.write(opening);
      resolve(client);
    });
  });
}

/** Sends one byte at a time until the other side closes. */
export async function sendByByte({ socket, closed }: SlowClient, everyMs: number): Promise<void> {
  const timer = setInterval(() => socket.writable && socket.write('x'), everyMs);
  await closed;
  clearInterval(timer);
}
