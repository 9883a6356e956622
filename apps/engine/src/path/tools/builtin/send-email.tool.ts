import { type Egress, EgressError } from '#libs/egress';
import { createTransport } from 'nodemailer';
import { createHash } from 'node:crypto';
import { PassThrough } from 'node:stream';
import type { BoundCredential } from '../bound-credentials.js';
import { type CallSite, failure, isFailure, matchesHost, noteIn, type ToolFailure } from '../tool.js';
import type { BuiltinWork } from './builtin-library.js';
import { notForHost } from './host-credential.js';

interface Mail {
  to: string[];
  cc?: string[];
  subject: string;
  text: string;
  reply_to?: string;
  credential?: string;
}

/**
 * `send_email`: its `text` credential, named `smtp` or the only one of that type, has `host`, `port`, `from`, and
 * `username` with `password`. `encryption` is `tls` (default on port 465), `starttls` (default elsewhere) or `none`,
 * which allows no password.
 */
export function sendEmail(egress: Egress, timeoutMs: number): BuiltinWork {
  return {
    external: false,
    noted: noteIn,
    run: async (args, call, credentials) => {
      const mail = mailOf(args);
      const credential = await credentials.read(call.turn, mail.credential ?? null, { as: 'smtp', types: ['text'] });
      return isFailure(credential) ? credential : send(egress, timeoutMs, credential, mail, call);
    },
  };
}

/** The schema has been checked, so what it requires is present and has its type. */
function mailOf(args: Record<string, unknown>): Mail {
  const { to = [], subject = '', text = '', ...others }: Partial<Mail> = args;
  return { to, subject, text, ...others };
}

async function send(
  egress: Egress,
  timeoutMs: number,
  { as, type, fields, hosts }: BoundCredential,
  mail: Mail,
  call: CallSite,
): Promise<{ note?: string; accepted: string[]; message_id: string } | ToolFailure> {
  const { host, from, username, password } = fields;
  const port = Number(fields['port'] ?? 587);
  if (!host || !from) {
    const what = `The credential ${as} (${type}) is not a mail account`;
    return failure('no_credential', `${what}. Use a text credential with host, port, from, username and password.`);
  }
  const isBound =
    hosts.length === 0 || hosts.some((one) => one === host.toLowerCase() || matchesServer(one, host, port));
  if (!isBound) return notForHost(as, hosts, host);
  const encryption = fields['encryption'] ?? (port === 465 ? 'tls' : 'starttls');
  if (password && encryption === 'none') return failure('no_credential', 'A password is not sent without encryption.');
  let begun = false;
  const transport = createTransport({
    host,
    port,
    secure: encryption === 'tls',
    requireTLS: encryption === 'starttls',
    ignoreTLS: encryption === 'none',
    // A server that announces no login is asked for one all the same: it would take the mail without it.
    ...(username && password ? { auth: { user: username, pass: password }, forceAuth: true } : {}),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    // EHLO must not reveal this machine's name.
    name: from.slice(from.lastIndexOf('@') + 1).replace('>', ''),
    getSocket: (_options, done) => {
      egress.connect(host, port).then(
        (connection) => done(null, { connection }),
        (error: Error) => done(error, false),
      );
    },
  });
  // The message is only read after the server's greeting and the login. Before that, it cannot have been delivered.
  transport.use('stream', (mail, done) => {
    mail.message.transform(() => {
      begun = true;
      return new PassThrough();
    });
    done();
  });
  const messageId = `<${createHash('sha256').update(`${call.turn.turnId} ${call.ref}`).digest('hex').slice(0, 32)}@gatehouse>`;
  try {
    const { accepted } = await transport.sendMail({
      from,
      to: mail.to,
      cc: mail.cc,
      replyTo: mail.reply_to,
      subject: mail.subject,
      text: mail.text,
      messageId,
    });
    return {
      ...(username && password ? {} : { note: withoutLogin(as, host, { username, password }) }),
      accepted: accepted.map(String),
      message_id: messageId,
    };
  } catch (error) {
    return failed(error, begun);
  } finally {
    transport.close();
  }
}

/** A server may take mail from anybody, so a field that is missing would not be noticed. */
function withoutLogin(as: string, host: string, login: { username?: string; password?: string }): string {
  const missing = (['username', 'password'] as const).filter((name) => !login[name]);
  return `This mail was sent to ${host} without a login: the credential ${as} has no ${missing.join(' and no ')}.`;
}

/** A mail server has no URL. Its name and port are compared as if it had one. */
function matchesServer(bound: string, host: string, port: number): boolean {
  if (!URL.canParse(`https://${host}`)) return false;
  const server = new URL(`https://${host}`);
  return matchesHost(server, bound) || bound === `${server.hostname}:${port}`;
}

/** A server that refuses answers with a code. Silence after the message was begun leaves the outcome unknown. */
function failed(error: unknown, begun: boolean): ToolFailure {
  if (error instanceof EgressError) return failure(error.code, 'The mail server cannot be reached.');
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  if (code === 'EAUTH') return failure('mail_login_refused', 'The mail server refused the login.');
  if (responseCode !== undefined) return failure('mail_refused', `The mail server answered ${responseCode}.`);
  if (code === 'EENVELOPE') return failure('mail_refused', 'No recipient is a valid address.');
  return begun
    ? failure('outcome_unknown', 'The connection broke while the mail was sent: it may have been.')
    : failure('mail_failed', 'The mail server gave no answer.');
}
