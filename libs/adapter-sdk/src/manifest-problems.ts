import { isJsonObject, type JsonObject } from './json-value.js';

/** `field` as it stands in the manifest (`credentials[0].key`), and what is wrong with it. */
export interface ManifestProblem {
  field: string;
  message: string;
}

const CREDENTIAL_TYPES = ['api_key', 'text', 'oauth2'];

/** What is wrong with a manifest (contract 2.1, 2.2); empty when it is valid. Unknown fields are fine. */
export function manifestProblems(manifest: unknown): ManifestProblem[] {
  if (!isJsonObject(manifest)) return [{ field: 'manifest', message: 'must be an object' }];
  const problems = textProblems(manifest, ['schema_version', 'name', 'description', 'category']);
  const need = (field: string, right: boolean, message: string): void => {
    if (!right) problems.push({ field, message });
  };
  const slug = /^[a-z0-9][a-z0-9-]{0,62}$/.test(String(manifest.slug));
  need('slug', slug, 'must be lower-case letters, digits and hyphens, at most 63');
  const { capabilities, credentials, skill } = manifest;
  const known = Array.isArray(capabilities) && capabilities.every((entry) => entry === 'send' || entry === 'receive');
  need('capabilities', known, 'must be a list of send and receive');
  for (const field of ['skill', 'oauth_config', 'webhook', 'message', 'sources']) {
    need(field, manifest[field] === undefined || isJsonObject(manifest[field]), 'must be an object');
  }
  const renewal = isJsonObject(manifest.webhook) ? manifest.webhook.renew_seconds : undefined;
  const hourly = renewal === undefined || (Number.isInteger(renewal) && Number(renewal) >= 3_600);
  need('webhook.renew_seconds', hourly, 'must be a whole number of at least 3600');
  if (isJsonObject(skill)) problems.push(...textProblems(skill, ['name'], 'skill.'));
  need('credentials', Array.isArray(credentials), 'must be a list');
  return [...problems, ...(Array.isArray(credentials) ? credentialsProblems(credentials) : [])];
}

function credentialsProblems(credentials: unknown[]): ManifestProblem[] {
  const declared = credentials.map((entry): JsonObject => (isJsonObject(entry) ? entry : {}));
  const [keys, mapped] = [declared.map((entry) => entry.key), declared.map((entry) => entry.maps_to)];
  const twice = { field: 'credentials', message: 'must not have one maps_to twice' };
  return [
    ...(new Set(mapped).size === mapped.length ? [] : [twice]),
    ...(new Set(keys).size === keys.length ? [] : [{ field: 'credentials', message: 'must not have one key twice' }]),
    ...declared.flatMap((credential, index) => {
      const at = `credentials[${index}].`;
      const problems = textProblems(credential, ['key', 'label', 'maps_to'], at);
      if (CREDENTIAL_TYPES.some((type) => type === credential.type)) return problems;
      return [...problems, { field: `${at}type`, message: `must be one of ${CREDENTIAL_TYPES.join(', ')}` }];
    }),
  ];
}

function textProblems(of: JsonObject, fields: string[], at = ''): ManifestProblem[] {
  return fields
    .filter((field) => typeof of[field] !== 'string' || of[field] === '')
    .map((field) => ({ field: `${at}${field}`, message: 'must be a text and not empty' }));
}
