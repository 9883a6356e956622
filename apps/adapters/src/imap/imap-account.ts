import { createHash } from 'node:crypto';
import type { Credentials } from '#libs/adapter-sdk';
import { isHeaderText } from '../mail/header-text.js';

export interface ImapAccount {
  host: string;
  port: number;
  encryption: 'tls' | 'starttls';
  user: string;
  secret: { password: string } | { accessToken: string };
  folder: string;
  /** Names the folder at its server in cursors and events: a UIDVALIDITY alone is often that of another folder, too. */
  key: string;
}

const MAX_FOLDER_LENGTH = 500;

/** The mailbox of a record; otherwise what is wrong, beginning with the part that it is about, without any value. */
export function readAccount(credentials: Credentials): ImapAccount | { problem: string } {
  const text = (name: string): string => textIn(credentials, name);
  const host = text('host');
  if (host === '' || host.length > 253) return { problem: 'host: it is missing' };
  const given = text('encryption').toLowerCase();
  if (!['', 'tls', 'starttls'].includes(given)) return { problem: 'host: encryption must be tls or starttls' };
  const isPlainPort = given === 'starttls' || text('port') === '143';
  const port = text('port') === '' ? (isPlainPort ? 143 : 993) : Number(text('port'));
  if (!(Number.isInteger(port) && port >= 1 && port <= 65_535)) {
    return { problem: 'host: port must be a number from 1 to 65535' };
  }
  const user = text('username');
  const password = typeof credentials.password === 'string' ? credentials.password : '';
  const accessToken = text('access_token');
  if (user === '') return { problem: 'login: username is missing' };
  if (password === '' && accessToken === '')
    return { problem: 'login: a password, or an account of OAuth, is missing' };
  if (![user, password, accessToken].every(isHeaderText)) {
    return { problem: 'login: username and password must be one line' };
  }
  const folder = text('folder') || 'INBOX';
  if (!isHeaderText(folder) || folder.length > MAX_FOLDER_LENGTH) {
    return { problem: `folder: it must be one line of at most ${MAX_FOLDER_LENGTH} characters` };
  }
  return {
    host,
    port,
    encryption: given === 'tls' || (given === '' && port === 993) ? 'tls' : 'starttls',
    user,
    secret: accessToken === '' ? { password } : { accessToken },
    folder,
    key: createHash('sha256').update([host.toLowerCase(), user, folder].join('\0')).digest('hex').slice(0, 12),
  };
}

/**
 * The credentials as the SMTP adapter reads them. What is not given for SMTP is that of IMAP; undefined: it has no host,
 * so that nothing can be sent.
 */
export function smtpCredentials(credentials: Credentials): Credentials | undefined {
  const text = (name: string): string => textIn(credentials, name);
  const host = text('smtp_host');
  if (host === '') return undefined;
  return {
    smtp_config: {
      host,
      port: text('smtp_port'),
      encryption: text('smtp_encryption'),
      username: text('smtp_username') || text('username'),
      password: credentials.smtp_password || credentials.password,
      access_token: text('access_token'),
      from: text('from') || text('username'),
    },
  };
}

function textIn(credentials: Credentials, name: string): string {
  const value = credentials[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}
