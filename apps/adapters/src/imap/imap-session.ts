import { ImapFlow } from 'imapflow';
import { secureSocket, type Egress } from '#libs/egress';
import type { ImapAccount } from './imap-account.js';
import { ImapFailure } from './imap-failure.js';

export interface ImapNetwork {
  /** Opens the socket, guarded, since a user types the host. */
  connect: Egress['connect'];
  /** For the greeting, and for each silence of the server. */
  timeoutMs: number;
  /** PEM of the only authority to trust; absent: the system's authorities. */
  ca?: string;
}

/** A folder, opened without the right to change it. */
export interface OpenFolder {
  client: ImapFlow;
  uidValidity: string;
  uidNext: number;
  /** Runs one more step; `uid`: of one mail. @throws ImapFailure */
  read<T>(run: () => Promise<T>, uid?: number): Promise<T>;
}

/** A server's line and answer may be this long; what mails bring is fetched in pieces below it. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
const IDLE_MS = 10_000;

/**
 * Logs in, opens the folder and runs `use` in it.
 * @throws ImapFailure with the failed step, or EgressError without a connection
 */
export async function inFolder<T>(
  account: ImapAccount,
  network: ImapNetwork,
  use: (folder: OpenFolder) => Promise<T>,
): Promise<T> {
  const client = await logIn(account, network);
  try {
    const read = step('read');
    const box = await step('folder')(() => client.mailboxOpen(account.folder, { readOnly: true }));
    return await use({ client, uidValidity: String(box.uidValidity), uidNext: box.uidNext, read });
  } finally {
    client.close();
  }
}

async function logIn({ host, port, encryption, user, secret }: ImapAccount, network: ImapNetwork): Promise<ImapFlow> {
  const { timeoutMs, ca } = network;
  const socket = await network.connect(host, port);
  const client = new ImapFlow({
    host,
    port,
    secure: encryption === 'tls',
    doSTARTTLS: encryption === 'starttls',
    auth: 'password' in secret ? { user, pass: secret.password } : { user, accessToken: secret.accessToken },
    // The socket is open and checked: what is left is its encryption.
    transport: {
      connect: ({ secure, servername }, onConnect) => {
        if (secure) return secureSocket(socket, { host, servername, ca }, onConnect);
        setImmediate(onConnect);
        return socket;
      },
      upgrade: (_plain, { servername }, onSecure) => secureSocket(socket, { host, servername, ca }, onSecure),
    },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    maxLineLength: MAX_LINE_BYTES,
    maxLiteralSize: MAX_RESPONSE_BYTES,
    maxResponseSize: MAX_RESPONSE_BYTES,
    disableAutoIdle: true,
    // A server without IDLE is asked this often.
    maxIdleTime: IDLE_MS,
    clientInfo: { name: 'Gatehouse' },
    idHashAlgorithm: 'sha256',
    // It would log what it reads.
    logger: false,
  });
  // The connection may break between two steps; the next step reports it.
  client.on('error', () => undefined);
  try {
    await step('connect')(() => client.connect());
  } catch (error) {
    client.close();
    socket.destroy();
    throw error;
  }
  return client;
}

function step(name: ImapFailure['step']): OpenFolder['read'] {
  return async (run, uid) => {
    try {
      return await run();
    } catch (error) {
      throw error instanceof ImapFailure ? error : new ImapFailure(name, error, uid);
    }
  };
}
