import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
import type { Credentials } from '#libs/adapter-sdk';
import { textOf } from '../../provider-calls/json-fields.js';

export interface GithubApp {
  appId: string;
  privateKey: string;
  installationId: string | undefined;
}

/** The credentials as those of a GitHub App; undefined when they are not. */
export function readApp(credentials: Credentials): GithubApp | undefined {
  const [appId, key] = [textOf(credentials.app_id), textOf(credentials.private_key)];
  const installation = textOf(credentials.installation_id);
  if (appId === undefined || key === undefined) return undefined;
  return {
    appId,
    // A single-line field holds line ends as \n.
    privateKey: key.replaceAll(String.raw`\n`, '\n'),
    installationId: installation !== undefined && /^\d{1,20}$/.test(installation) ? installation : undefined,
  };
}

/**
 * The app's JSON Web Token, good for nine minutes; undefined when its key cannot be read. Source:
 * https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app
 */
export function appJwt({ appId, privateKey }: GithubApp, now: Date): string | undefined {
  const key = readKey(privateKey);
  if (!key) return undefined;
  const seconds = Math.floor(now.getTime() / 1000);
  // Issued a minute ago, to allow for clock skew.
  const parts = [
    { alg: 'RS256', typ: 'JWT' },
    { iat: seconds - 60, exp: seconds + 540, iss: appId },
  ];
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
}

function readKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'rsa' ? key : undefined;
  } catch {
    // OpenSSL's message may quote the key.
    return undefined;
  }
}
