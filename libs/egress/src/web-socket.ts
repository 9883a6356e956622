import WebSocket from 'ws';
import type { Egress } from './egress.js';
import { EgressError } from './egress-error.js';
import { secureSocket } from './secure-socket.js';

export type { WebSocket };

export interface SocketNetwork {
  /** Opens the socket, guarded, since the address comes from outside. */
  connect: Egress['connect'];
  /** From connecting to the first message, and for the answer to a ping. */
  timeoutMs: number;
  /** PEM of the only authority to trust; absent: the system's authorities. */
  ca?: string;
}

export interface SocketEvents {
  message(text: string, socket: WebSocket): void;
  /** Once, also where the socket never opened. `code`: of RFC 6455, 1006 without a closing frame. */
  closed(code: number): void;
}

/** Of one message; one that is larger ends the socket. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
const PING_MS = 15_000;

/**
 * A WebSocket over a guarded connection. One whose other end no longer answers is closed. It keeps no process alive.
 * @param pings `none` where the protocol has heartbeats of its own
 * @throws EgressError when it does not open in time
 */
export async function openWebSocket(
  address: string,
  network: SocketNetwork,
  events: SocketEvents,
  pings: 'sent' | 'none' = 'sent',
): Promise<WebSocket> {
  const url = URL.parse(address);
  if (url?.protocol !== 'wss:' && url?.protocol !== 'ws:') {
    throw new EgressError('invalid_url', 'the provider named no address of a WebSocket');
  }
  const isSecure = url.protocol === 'wss:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const plain = await network.connect(host, Number(url.port) || (isSecure ? 443 : 80));
  plain.unref();
  const socket = new WebSocket(url, {
    createConnection: () =>
      isSecure ? secureSocket(plain, { host, servername: host, ca: network.ca }, () => undefined) : plain,
    handshakeTimeout: network.timeoutMs,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  });
  socket.on('message', (data: Buffer) => events.message(data.toString('utf8'), socket));
  const opened = Promise.withResolvers<void>();
  let failure: Error | undefined;
  socket.once('open', () => opened.resolve());
  socket.on('error', (error) => (failure = error));
  socket.once('close', (code) => {
    plain.destroy();
    opened.reject(new EgressError('connect_failed', `${host} opens no WebSocket`, false, { cause: failure }));
    events.closed(code);
  });
  await opened.promise;
  if (pings === 'sent') keepAlive(socket);
  return socket;
}

function keepAlive(socket: WebSocket): void {
  let heard = true;
  const note = (): void => void (heard = true);
  for (const event of ['message', 'ping', 'pong']) socket.on(event, note);
  const timer = setInterval(() => {
    if (!heard) return socket.terminate();
    heard = false;
    socket.ping();
  }, PING_MS).unref();
  socket.once('close', () => clearInterval(timer));
}
