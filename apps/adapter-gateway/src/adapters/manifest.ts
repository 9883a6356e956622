import { isJsonObject, type Manifest, stringifyJson } from '#libs/adapter-sdk';
import { type FieldError, Problem } from '#libs/service-kit';

const text = (value: unknown): boolean => typeof value === 'string' && value.length > 0;
const credentialTypes = ['api_key', 'text', 'oauth2'];
const maxBytes = 262_144;
const maxDepth = 32;
/** JSON text escapes a surrogate only when it is alone; Postgres takes neither. */
const unstorable = /\\u(0000|d[89a-f])/i;

/**
 * Checks a manifest (spec 2.1, 2.2). Unknown fields are kept and ignored.
 * @param kind `skill` for a manifest without an adapter: it needs a skill, and capabilities do not apply
 * @throws Problem 422 `invalid_manifest`, field by field
 */
export function readManifest(given: Record<string, unknown>, kind: 'adapter' | 'skill'): Manifest {
  const json = isShallow(given, maxDepth) ? stringifyJson(given) : undefined;
  if (json === undefined || Buffer.byteLength(json) > maxBytes || unstorable.test(json)) {
    const limits = `A manifest has at most ${maxBytes} bytes and ${maxDepth} levels, and neither U+0000 nor lone surrogates.`;
    throw new Problem(422, 'invalid_manifest', limits);
  }
  const value = kind === 'skill' ? { credentials: [], ...given, capabilities: [] } : given;
  const errors: FieldError[] = [];
  const need = (field: string, right: boolean, message: string): void => {
    if (!right) errors.push({ field, message });
  };
  for (const field of ['schema_version', 'name', 'description', 'category'])
    need(field, text(value[field]), 'has to be a text');
  need(
    'slug',
    /^[a-z0-9][a-z0-9-]{0,62}$/.test(String(value['slug'])),
    'has to be lower-case letters, digits and dashes',
  );
  const capabilities = value['capabilities'];
  need(
    'capabilities',
    Array.isArray(capabilities) && capabilities.every((entry) => entry === 'send' || entry === 'receive'),
    'has to be a list of send and receive',
  );
  const credentials = value['credentials'];
  need('credentials', Array.isArray(credentials), 'has to be a list');
  for (const [index, entry] of (Array.isArray(credentials) ? credentials : []).entries()) {
    const declared = isJsonObject(entry) ? entry : {};
    need(`credentials[${index}].key`, text(declared['key']), 'has to be a text');
    need(`credentials[${index}].maps_to`, text(declared['maps_to']), 'has to be a text');
    need(
      `credentials[${index}].type`,
      credentialTypes.includes(String(declared['type'])),
      `is one of ${credentialTypes.join(', ')}`,
    );
  }
  const skill = value['skill'];
  if (kind === 'skill') need('skill', isJsonObject(skill), 'has to be there when there is no adapter');
  if (isJsonObject(skill)) need('skill.name', text(skill['name']), 'has to be a text');
  const oauth = value['oauth_config'];
  need('oauth_config', oauth === undefined || isJsonObject(oauth), 'has to be an object');
  for (const field of ['webhook', 'message', 'sources'])
    need(field, value[field] === undefined || isJsonObject(value[field]), 'has to be an object');
  if (errors.length > 0) throw new Problem(422, 'invalid_manifest', 'The manifest is not valid.', errors);
  return value as object as Manifest;
}

/** Whether a value has at most so many levels; a deeper one would overflow the stack of whoever walks it. */
function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((entry) => isShallow(entry, levels - 1));
}
