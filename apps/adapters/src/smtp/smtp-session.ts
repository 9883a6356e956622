import SMTPConnection from 'nodemailer/lib/smtp-connection';
import XOAuth2 from 'nodemailer/lib/xoauth2';
import type { Egress } from '#libs/egress';
import type { SmtpAccount } from './smtp-account.js';
import { SmtpFailure } from './smtp-failure.js';

export interface SmtpNetwork {
  /** Opens the socket, guarded, since a user types the host. */
  connect: Egress['connect'];
  /** For the greeting, and for each silence of the server. */
  timeoutMs: number;
  /** PEM of the only authority to trust; absent: the system's authorities. */
  ca?: string;
}

/** A connection that has been greeted, encrypted and authenticated, for one or more mails. */
export interface SmtpSession {
  /** @throws SmtpFailure */
  send(envelope: { from: string; to: string }, message: Buffer): Promise<void>;
  close(): void;
}

/** The platform refreshes the token: a refused one is refused. */
class GivenToken extends XOAuth2 {
  constructor(
    user: string,
    private readonly token: string,
  ) {
    super({ user, accessToken: token });
  }

  override getToken(_renew: boolean, done: (error: Error | null, token: string) => void): void {
    done(null, this.token);
  }
}

/** @throws SmtpFailure with the failed step, or EgressError without a connection */
export async function openSession(account: SmtpAccount, network: SmtpNetwork): Promise<SmtpSession> {
  if (account.login && account.encryption === 'none') throw new SmtpFailure('unencrypted', undefined);
  const socket = await network.connect(account.host, account.port);
  const connection = new SMTPConnection({
    host: account.host,
    port: account.port,
    connection: socket,
    secure: account.encryption === 'tls',
    requireTLS: account.encryption === 'starttls',
    ignoreTLS: account.encryption === 'none',
    greetingTimeout: network.timeoutMs,
    connectionTimeout: network.timeoutMs,
    socketTimeout: network.timeoutMs,
    // EHLO must not reveal this machine's name.
    name: account.from.slice(account.from.indexOf('@') + 1),
    ...(network.ca !== undefined && { tls: { ca: network.ca } }),
  });
  // The connection may break between two steps; the next step reports it.
  connection.on('error', () => undefined);
  const step = (name: SmtpFailure['step'], run: (done: (error: unknown) => void) => void): Promise<void> =>
    new Promise((resolve, reject) => {
      const failed = (error: unknown): void => reject(new SmtpFailure(name, error));
      const ended = (): void => failed(new Error('the connection ended'));
      connection.once('error', failed);
      connection.once('end', ended);
      run((error) => {
        connection.off('error', failed);
        connection.off('end', ended);
        if (error) failed(error);
        else resolve();
      });
    });

  try {
    await step('connect', (done) => connection.connect((error) => done(error)));
    if (account.login) {
      const { user, secret } = account.login;
      const login = 'pass' in secret ? { user, ...secret } : { user, oauth2: new GivenToken(user, secret.accessToken) };
      await step('login', (done) => connection.login(login, done));
    }
  } catch (error) {
    connection.close();
    throw error;
  }
  let isBroken = false;
  return {
    send: async (envelope, message) => {
      isBroken = true;
      await step('send', (done) => connection.send(envelope, message, done));
      isBroken = false;
    },
    // No QUIT for a server that has refused or gone silent: it might not answer that either.
    close: () => (isBroken ? connection.close() : connection.quit()),
  };
}
