import proxyAddr from '@fastify/proxy-addr';
import { Logger } from '@nestjs/common';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limitReached } from '../limit-reached.js';
import { Problem } from '../problem.js';
import { networkOf } from './network-of.js';
import { answerOn, currentAnswer } from './parser-refusals.js';

export interface ConnectionLimits {
  /** Simultaneous connections. */
  most: number;
  /** Those of one address (a /64 of IPv6) among them; trusted proxies have no such limit. */
  mostPerAddress: number;
  /** Addresses of proxies, whose connections belong to many clients. */
  trustedProxies: string[];
  /** How long a server that closes waits for the rest of a head, and of a body. */
  headMs: number;
  bodyMs: number;
}

interface Connection {
  socket: Socket;
  network: Network;
  /** A trusted proxy's connections are its own to close. */
  trusted: boolean;
  /** Requests whose answer has not ended. */
  busy: number;
  /** What had been read when the last answer ended; more than that is a head that has not ended. */
  readBefore: number;
}

/** The open connections of an address, and those of them without a request, in the order since when they have none. */
interface Network {
  name: string;
  open: number;
  waiting: Set<Connection>;
}

/** Those that have a place. */
const connections = new WeakMap<Socket, Connection>();

/** Keeps a connection from giving way to another one while it has a request. @returns what ends that */
export function holdConnection(socket: Socket): () => void {
  const connection = connections.get(socket);
  if (!connection) return () => undefined;
  connection.busy += 1;
  connection.network.waiting.delete(connection);
  return () => {
    connection.busy -= 1;
    if (connection.busy > 0 || !connections.has(socket)) return;
    connection.readBefore = socket.bytesRead;
    if (!connection.trusted) connection.network.waiting.add(connection);
  };
}

/** Refused connections that may linger until their client has read why. */
const lingering = 256;
const logEveryMs = 10_000;
/** A server that closes waits as long for a request on a connection that has had none: it may be on its way. */
const firstBytesMs = 500;
const endEveryMs = 50;

/**
 * Gives connections their places. Where all are taken, or all of one address, a connection without a request gives way
 * to the new one: the one whose head takes longest, else the one that is idle longest. When all places are taken, it is
 * one of the address that has most of those: so whoever opens many connections and sends nothing takes them from
 * himself. A client is refused only while all connections are busy with requests.
 */
export class ConnectionPlaces {
  private readonly logger = new Logger('connections');
  private readonly networks = new Map<string, Network>();
  private readonly trusts: (address: string, hop: number) => boolean;
  private readonly open = new Set<Connection>();
  private refused = 0;
  private notLogged = { refused: 0, closed: 0 };
  private loggedMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly limits: ConnectionLimits) {
    this.trusts = proxyAddr.compile(limits.trustedProxies);
  }

  /** Comes before all listeners that the server has by now. */
  listen(server: Server): void {
    server.maxConnections = this.limits.most + lingering;
    const others = server.listeners('connection') as Array<(socket: Socket) => void>;
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      if (this.enter(socket)) for (const listener of others) listener.call(server, socket);
    });
    server.prependListener('request', (request, response) => this.noteRequest(request, response));
  }

  /**
   * Ends each connection as soon as it has no request, until the server has closed. Node ends those that are idle when
   * it begins to close, waits for all others until their clients end them, and limits their heads and bodies no more.
   */
  end(server: Server): void {
    const begunMs = performance.now();
    const check = setInterval(() => {
      const forMs = performance.now() - begunMs;
      for (const connection of this.open) this.endIfIdle(connection, forMs);
    }, endEveryMs);
    server.once('close', () => clearInterval(check));
  }

  private endIfIdle(connection: Connection, forMs: number): void {
    const { socket, busy } = connection;
    if (busy === 0) {
      const patienceMs = socket.bytesRead === 0 ? firstBytesMs : this.limits.headMs;
      if (isIdle(connection) || forMs > patienceMs) socket.destroySoon();
      return;
    }
    const answer = currentAnswer(socket);
    if (!answer || answer.writableFinished) return;
    if (!answer.headersSent) answer.shouldKeepAlive = false;
    if (!answer.req.complete && forMs > this.limits.bodyMs) socket.destroy();
  }

  private enter(socket: Socket): boolean {
    const { remoteAddress: address } = socket;
    if (address === undefined) {
      socket.destroy();
      return false;
    }
    const trusted = this.trusts(address, 0);
    const name = trusted ? 'trusted proxies' : networkOf(address);
    const network = this.networks.get(name) ?? { name, open: 0, waiting: new Set() };
    const problem = this.problemOf(network, trusted);
    if (problem) {
      this.refuse(socket, problem);
      this.log(problem.code, name);
      return false;
    }
    this.networks.set(name, network);
    const connection: Connection = { socket, network, trusted, busy: 0, readBefore: 0 };
    network.open += 1;
    this.open.add(connection);
    if (!trusted) network.waiting.add(connection);
    connections.set(socket, connection);
    socket.once('close', () => this.leave(connection));
    return true;
  }

  /** @returns null once there is a place for one connection more */
  private problemOf(network: Network, trusted: boolean): Problem | null {
    const { most, mostPerAddress } = this.limits;
    if (!trusted && network.open >= mostPerAddress && !this.close(network)) {
      const what = 'All connections of this address are busy';
      const name = 'HTTP_CONNECTIONS_PER_ADDRESS';
      const raise = `An operator raises it with ${name}, or names a proxy that connects for many clients in TRUSTED_PROXIES.`;
      return limitReached('too_many_connections', what, { name, of: 'address', value: mostPerAddress, raise }, 2);
    }
    if (this.open.size < most || this.close(this.mostWaiting())) return null;
    const detail = `All ${most} connections of this server are busy (HTTP_MAX_CONNECTIONS): try again.`;
    return new Problem(503, 'busy', detail, [], { 'retry-after': '2' });
  }

  private mostWaiting(): Network | null {
    let most: Network | null = null;
    for (const network of this.networks.values()) {
      if (network.waiting.size > (most?.waiting.size ?? 0)) most = network;
    }
    return most;
  }

  /** Closes a connection that has no request. @returns whether there was one */
  private close(network: Network | null): boolean {
    const [oldest] = network?.waiting ?? [];
    if (!network || !oldest) return false;
    let closed = oldest;
    for (const each of network.waiting) {
      if (!isIdle(each)) {
        closed = each;
        break;
      }
    }
    if (!isIdle(closed)) {
      const detail = 'The head of this request had not arrived when others needed its connection: send it whole.';
      answerOn(closed.socket, new Problem(408, 'request_timeout', detail));
    }
    this.leave(closed);
    closed.socket.destroySoon();
    this.notLogged.closed += 1;
    this.log('connections_closed', network.name);
    return true;
  }

  private leave(connection: Connection): void {
    const { socket, network } = connection;
    if (!connections.delete(socket)) return;
    network.waiting.delete(connection);
    network.open -= 1;
    this.open.delete(connection);
    if (network.open === 0) this.networks.delete(network.name);
  }

  private noteRequest({ socket }: IncomingMessage, response: ServerResponse): void {
    if (connections.has(socket)) response.once('close', holdConnection(socket));
  }

  private refuse(socket: Socket, problem: Problem): void {
    this.notLogged.refused += 1;
    socket.on('error', () => socket.destroy());
    if (this.refused >= lingering) return void socket.destroy();
    this.refused += 1;
    socket.once('close', () => (this.refused -= 1));
    socket.resume();
    answerOn(socket, problem);
  }

  /** One line in ten seconds: an attack must not fill the log. */
  private log(code: string, address: string): void {
    const nowMs = performance.now();
    if (nowMs - this.loggedMs < logEveryMs) return;
    this.logger.warn({ event: 'connections.full', code, address, open: this.open.size, ...this.notLogged });
    this.loggedMs = nowMs;
    this.notLogged = { refused: 0, closed: 0 };
  }
}

/** Has had a request, and sent nothing since. */
function isIdle({ socket, readBefore }: Connection): boolean {
  return readBefore > 0 && socket.bytesRead === readBefore;
}
