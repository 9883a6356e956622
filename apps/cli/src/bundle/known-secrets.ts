import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What an installation of `npm start` keeps secret, and the keys in the environment: to be taken out wherever it stands. */
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

/** A setting may hold JSON with keys in it, an address with a password or a token. */
function parts(value: string): string[] {
  try {
    const parsed: unknown = JSON.parse(value);
    if (typeof parsed === 'object' && parsed !== null) return leaves(parsed, () => true);
  } catch {
    // No JSON: as it is.
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

/** Beside a key in its file, and no secret. */
const plain = new Set(['kid', 'kty', 'crv', 'alg', 'use', 'x', 'primary']);
