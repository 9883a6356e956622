import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The secrets of an `npm start` installation and of the environment, which are redacted wherever they occur. */
export function knownSecrets(dataDir: string | undefined, env: NodeJS.ProcessEnv): string[] {
  const named = Object.entries(env).filter(([name]) =>
    /KEY|SECRET|TOKEN|PASSWORD|CREDENTIAL|DATABASE_URL|REDIS_URL/i.test(name),
  );
  const ofFile =
    dataDir === undefined
      ? []
      : [...textsIn(join(dataDir, 'secrets.json'), () => true), ...textsIn(join(dataDir, 'gatehouse.json'), isSecret)];
  return [...named.flatMap(([, value]) => parts(value ?? '')), ...ofFile.flatMap(parts)];
}

const isSecret = (name: string): boolean => ['api_key', 'owner_link', 'webhook_url', 'url'].includes(name);

/** A setting may hold JSON with keys in it, or an address with a password or token. */
function parts(value: string): string[] {
  try {
    const parsed: unknown = JSON.parse(value);
    if (typeof parsed === 'object' && parsed !== null) return leaves(parsed, () => true);
  } catch {
    // Not JSON: used as it is.
  }
  if (!URL.canParse(value)) return [value];
  const { password, pathname, searchParams, hash } = new URL(value);
  return [decodeURIComponent(password), pathname.split('/').at(-1) ?? '', ...searchParams.values(), hash.slice(1)];
}

function textsIn(file: string, wanted: (name: string) => boolean): string[] {
  return existsSync(file) ? leaves(JSON.parse(readFileSync(file, 'utf8')) as object, wanted) : [];
}

function leaves(value: object, wanted: (name: string) => boolean): string[] {
  return Object.entries(value).flatMap(([name, one]: [string, unknown]) => {
    if (typeof one === 'string') return wanted(name) && !plain.has(name) ? [one] : [];
    return typeof one === 'object' && one !== null ? leaves(one, wanted) : [];
  });
}

/** Fields of a key that are not secret. */
const plain = new Set(['kid', 'kty', 'crv', 'alg', 'use', 'x', 'primary']);

/** Names of fields, settings and headers whose value is a secret. */
const secretNames = String.raw`[\w.-]*(?:authorization|password|passwd|secret|token|api[_-]?key|credential|cookie|signature|private[_-]?key|service[_-]?key|kek)[\w.-]*`;
const mark = '[redacted]';

const patterns: [RegExp, string][] = [
  // Our API keys, webhook secrets, JWTs, PEM, credentials before the @ of an address, tokens in a webhook's path.
  [/gh_[\w-]{8,}/g, mark],
  [/whsec_[\w+/=-]+/g, mark],
  [/eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, mark],
  [/-----BEGIN [^-]+-----[\s\S]*?(?:-----END [^-]+-----|$)/g, mark],
  [/(\w+:\/\/)[^\s/@"']+@/g, `$1${mark}@`],
  [/(\/webhooks\/)[\w~.-]+/g, `$1${mark}`],
  [/([?#&](?:token|code|key|link|state)=)[^\s&"']+/gi, `$1${mark}`],
  [/\b(Bearer|Basic) [\w+/=.~-]+/gi, `$1 ${mark}`],
  [
    new RegExp(String.raw`("${secretNames}"\s*:\s*)(?:"(?:[^"\\]|\\.)*"|\[[^\]]*\]|\{[^}]*\}|[^,}\]\s]+)`, 'gi'),
    `$1"${mark}"`,
  ],
  [new RegExp(String.raw`(\b${secretNames}=)(?!\[redacted\])[^\s&"']+`, 'gi'), `$1${mark}`],
];

/** Shorter secrets would redact harmless text. */
const leastLength = 8;

/** Redacts known secrets, in every encoding, and whatever looks like a secret. */
export function redactor(known: string[]): (text: string) => string {
  const spellings = new Set(
    known
      .filter((secret) => secret.length >= leastLength)
      .flatMap((secret) => [
        secret,
        encodeURIComponent(secret),
        Buffer.from(secret).toString('base64'),
        Buffer.from(secret).toString('base64url'),
        Buffer.from(secret).toString('hex'),
      ]),
  );
  // A longer secret may contain a shorter one.
  const longestFirst = [...spellings].sort((a, b) => b.length - a.length);
  return (text) =>
    patterns.reduce(
      (cleaned, [pattern, replacement]) => cleaned.replaceAll(pattern, replacement),
      longestFirst.reduce((cleaned, secret) => cleaned.replaceAll(secret, mark), text),
    );
}
