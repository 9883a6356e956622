import { portalHopHeader } from '#libs/contracts';
import { holdConnection, httpLimitDefaults, type ServiceTokens } from '#libs/service-kit';
import type { FastifyInstance } from 'fastify';
import { connect, type Socket } from 'node:net';
import { type Door, WebhookConnection } from './webhook-connection.js';

export interface FrontDoorSettings {
  INGRESS_URL: string;
  WEBHOOK_CONNECTIONS: number;
  UPSTREAM_TIMEOUT_MS: number;
  HTTP_CONNECTIONS_PER_ADDRESS?: number;
  HTTP_SILENCE_TIMEOUT_MS?: number;
}

/** A client that sends nothing at first is served by the portal's own server, whose limits then apply. */
const firstBytesMs = 1_000;
/** A token has at least 30 s left when it is given out. */
const renewEveryMs = 10_000;
const validMs = 25_000;

type Listener = (socket: Socket) => void;

/**
 * Hands the connections of senders on to the ingress, below HTTP: parsing each request and making it anew took half of
 * the throughput. The ingress knows the client's address, and all its limits apply. What is no plain webhook is served
 * by the portal as before.
 */
export class FrontDoor implements Door {
  private readonly connections = new Map<Socket, WebhookConnection>();
  private readonly address: { host: string; port: number };
  private others: Listener[] = [];
  private token = '';
  private renewedMs = Number.NEGATIVE_INFINITY;
  private toIngress = 0;
  private readonly most: number;
  isClosing = false;

  constructor(
    private readonly fastify: FastifyInstance,
    private readonly tokens: ServiceTokens,
    private readonly settings: FrontDoorSettings,
  ) {
    const { hostname, port, protocol } = new URL(settings.INGRESS_URL);
    // The ingress has that limit too, and to it all of them come from the portal's address.
    const half = Math.floor((settings.HTTP_CONNECTIONS_PER_ADDRESS ?? Number.POSITIVE_INFINITY) / 2);
    this.most = Math.min(settings.WEBHOOK_CONNECTIONS, half);
    this.address = { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || 80) };
    // Only bytes that need no encryption can be handed on.
    if (protocol !== 'http:' || settings.WEBHOOK_CONNECTIONS === 0) this.isClosing = true;
  }

  /** Comes before the listeners that the server has by now; later ones see every connection. */
  listen(): void {
    if (this.isClosing) return;
    const { server } = this.fastify;
    this.others = server.listeners('connection') as Listener[];
    server.removeAllListeners('connection');
    server.on('connection', (client: Socket) => this.welcome(client));
    const renewal = setInterval(() => void this.renew(), renewEveryMs).unref();
    void this.renew();
    this.fastify.addHook('preClose', async () => {
      clearInterval(renewal);
      this.isClosing = true;
      for (const connection of this.connections.values()) connection.close();
    });
  }

  connect(): Socket | null {
    if (this.toIngress >= this.most) return null;
    this.toIngress += 1;
    const ingress = connect({ ...this.address, noDelay: true });
    ingress.once('close', () => (this.toIngress -= 1));
    return ingress.setTimeout(this.settings.UPSTREAM_TIMEOUT_MS);
  }

  vouch({ remoteAddress }: Socket): string | null {
    if (remoteAddress === undefined || performance.now() - this.renewedMs > validMs) return null;
    return `x-forwarded-for: ${remoteAddress}\r\n${portalHopHeader}: ${this.token}\r\n`;
  }

  begin(client: Socket): () => void {
    return holdConnection(client);
  }

  giveBack(client: Socket, unread: Buffer): void {
    this.connections.delete(client);
    client.pause();
    if (unread.length > 0) client.unshift(unread);
    for (const listener of this.others) listener.call(this.fastify.server, client);
    client.resume();
  }

  private welcome(client: Socket): void {
    const leave = (): void => void client.destroy();
    const begin = (bytes: Buffer): void => {
      clearTimeout(silent);
      client.off('data', begin).off('error', leave).off('end', leave);
      const silenceMs = this.settings.HTTP_SILENCE_TIMEOUT_MS ?? httpLimitDefaults.HTTP_SILENCE_TIMEOUT_MS;
      const connection = new WebhookConnection(client, this, silenceMs);
      this.connections.set(client, connection);
      client.once('close', () => this.connections.delete(client));
      connection.next(bytes);
    };
    const silent = setTimeout(() => {
      client.off('data', begin).off('error', leave).off('end', leave);
      this.giveBack(client, Buffer.alloc(0));
    }, firstBytesMs);
    client.once('close', () => clearTimeout(silent));
    client.on('data', begin).on('error', leave).on('end', leave);
  }

  private async renew(): Promise<void> {
    const portal = { subject: 'service:portal', organizationId: '', projectId: '', scopes: [] };
    this.token = await this.tokens.mint('webhook-ingress', portal);
    this.renewedMs = performance.now();
  }
}
