import { isJsonObject, type Credentials } from '#libs/adapter-sdk';
import { isHeaderText } from '../mail/header-text.js';
import { isMailAddress } from '../mail/mail-address.js';

export type Encryption = 'tls' | 'starttls' | 'none';

export interface SmtpAccount {
  host: string;
  port: number;
  encryption: Encryption;
  /** Absent: no authentication. */
  login: { user: string; secret: { pass: string } | { accessToken: string } } | undefined;
  from: string;
}

const ENCRYPTIONS: readonly Encryption[] = ['tls', 'starttls', 'none'];

/** The account of a record, with its fields flat or under `smtp_config`; otherwise what is wrong, without any value. */
export function readAccount(credentials: Credentials): SmtpAccount | { problem: string } {
  const fields = isJsonObject(credentials.smtp_config) ? credentials.smtp_config : credentials;
  const text = (name: string): string => {
    const value = fields[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  };
  const host = text('host');
  if (host === '' || host.length > 253) return { problem: 'host is missing' };
  const given = text('encryption').toLowerCase();
  const encryption = given === '' ? undefined : ENCRYPTIONS.find((known) => known === given);
  if (given !== '' && !encryption) return { problem: `encryption must be one of ${ENCRYPTIONS.join(', ')}` };
  const port = text('port') === '' ? defaultPort(encryption) : portNumber(text('port'));
  if (port === undefined) return { problem: 'port must be a number from 1 to 65535' };

  const user = text('username');
  const pass = typeof fields.password === 'string' ? fields.password : '';
  const accessToken = text('access_token');
  if (user === '' && pass !== '') return { problem: 'password is set but username is not' };
  if (![user, pass, accessToken].every(isHeaderText)) return { problem: 'username and password must be one line' };
  const from = text('from') || user;
  if (!isMailAddress(from)) return { problem: 'from must be one mail address without a name' };
  return {
    host,
    port,
    encryption: encryption ?? (port === 465 ? 'tls' : 'starttls'),
    login: user === '' ? undefined : { user, secret: accessToken === '' ? { pass } : { accessToken } },
    from,
  };
}

function defaultPort(encryption: Encryption | undefined): number {
  return encryption === 'tls' ? 465 : 587;
}

function portNumber(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}
