import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Server } from 'node:http';
import { ConnectionPlaces } from './incoming/connection-places.js';

/** What slow clients may take of a service. */
export interface HttpLimits {
  /** From the connection, or the previous answer, to the last of a request's headers. */
  HTTP_HEADERS_TIMEOUT_MS: number;
  /** From there to the last byte of its body. */
  HTTP_REQUEST_TIMEOUT_MS: number;
  /** A connection on which nothing moves in either direction, for example an answer that nobody reads. */
  HTTP_SILENCE_TIMEOUT_MS: number;
  /** How long a client that has ended its side waits for the next piece of its answer; then it counts as gone. */
  HTTP_HALF_CLOSED_MS: number;
  /** What one address is sent of answers over 64 KiB, in bytes a second; a quarter of it at once. */
  HTTP_LONG_ANSWER_BYTES_PER_SECOND: number;
  /** Simultaneous connections; for a further one, one without a request is closed, or it is refused. */
  HTTP_MAX_CONNECTIONS: number;
}

export const httpLimitDefaults: HttpLimits = {
  HTTP_HEADERS_TIMEOUT_MS: 10_000,
  HTTP_REQUEST_TIMEOUT_MS: 60_000,
  HTTP_SILENCE_TIMEOUT_MS: 120_000,
  HTTP_HALF_CLOSED_MS: 5_000,
  HTTP_LONG_ANSWER_BYTES_PER_SECOND: 67_108_864,
  HTTP_MAX_CONNECTIONS: 10_000,
};

/**
 * Options of Node's server, which answers a late request with 408 and closes its connection. It checks for late
 * requests four times within the shortest limit, and at least every five seconds.
 */
export function httpServerOptions(settings: Partial<HttpLimits>): {
  connectionTimeout: number;
  requestTimeout: number;
  http: { headersTimeout: number; connectionsCheckingInterval: number; requireHostHeader: false };
} {
  const limits = { ...httpLimitDefaults, ...settings };
  const requestTimeout = limits.HTTP_HEADERS_TIMEOUT_MS + limits.HTTP_REQUEST_TIMEOUT_MS;
  return {
    connectionTimeout: limits.HTTP_SILENCE_TIMEOUT_MS,
    requestTimeout,
    http: {
      headersTimeout: limits.HTTP_HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: Math.min(5_000, Math.ceil(limits.HTTP_HEADERS_TIMEOUT_MS / 4)),
      // `guardRequests` checks it, and answers in the form of all refusals.
      requireHostHeader: false,
    },
  };
}

/** @param trustedProxies which connect for many clients, and may have any number of connections */
export function limitConnections(
  app: NestFastifyApplication,
  settings: Partial<HttpLimits> & { HTTP_CONNECTIONS_PER_ADDRESS?: number },
  trustedProxies: string[],
): void {
  const limits = { ...httpLimitDefaults, ...settings };
  const most = limits.HTTP_MAX_CONNECTIONS;
  const places = new ConnectionPlaces({
    most,
    mostPerAddress: settings.HTTP_CONNECTIONS_PER_ADDRESS ?? most,
    trustedProxies,
    headMs: limits.HTTP_HEADERS_TIMEOUT_MS,
    bodyMs: limits.HTTP_REQUEST_TIMEOUT_MS,
  });
  const server: Server = app.getHttpServer();
  places.listen(server);
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  fastify.addHook('preClose', async () => places.end(server));
}
