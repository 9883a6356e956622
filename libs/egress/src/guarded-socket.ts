import { isIPv6, type Socket } from 'node:net';
import { EgressError } from './egress-error.js';
import { guardedConnector, type ConnectorSettings } from './guarded-connector.js';

/** Connects to a host that a person entered, classified like an HTTP origin with the same host and port. */
export function guardedSocket(host: string, port: number, settings: ConnectorSettings): Promise<Socket> {
  const origin = URL.parse(`http://${isIPv6(host) ? `[${host}]` : host}:${port}/`);
  // Text that a URL would read as a user, a path or a query is not a host name.
  if (!origin || /[/?#@\\\s]/.test(host) || !Number.isInteger(port) || port < 1 || port > 65_535) {
    return Promise.reject(new EgressError('invalid_url', 'not a host and a port'));
  }
  const connect = guardedConnector(origin, settings);
  const { hostname } = origin;
  return new Promise((resolve, reject) => {
    connect({ hostname, host: origin.host, protocol: 'http:', port: String(port) }, (error, socket) => {
      if (socket) return resolve(socket);
      if (error instanceof EgressError) return reject(error);
      reject(new EgressError('connect_failed', `${hostname}:${port} cannot be reached`, false, { cause: error }));
    });
  });
}
