import type { Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';

export interface SecureTarget {
  host: string;
  /** Absent for an address: the certificate has to be one of it. */
  servername: string | undefined;
  /** PEM of the only authority to trust; absent: the system's authorities. */
  ca: string | undefined;
}

/**
 * TLS on a socket of `Egress.connect`, for clients of protocols that do not do it themselves. The socket that it returns
 * emits the errors of the handshake.
 */
export function secureSocket(socket: Socket, target: SecureTarget, onSecure: () => void): TLSSocket {
  const { host, servername, ca } = target;
  return connect({ socket, host, ...(servername && { servername }), ...(ca && { ca }) }, onSecure);
}
