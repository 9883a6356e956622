import { isJsonObject, type JsonObject } from './json-value.js';

/** What is wrong with a manifest (contract 2.1, 2.2), one line per field; empty when it is valid. Unknown fields are fine. */
export function manifestProblems(manifest: unknown): string[] {
  if (!isJsonObject(manifest)) return ['the manifest must be an object'];
  const problems: string[] = [];
  for (const field of ['schema_version', 'name', 'description', 'category']) {
    if (!isText(manifest[field])) problems.push(`${field} must be a text and not empty`);
  }
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(String(manifest.slug))) {
    problems.push('slug must be lower-case letters, digits and hyphens, at most 63');
  }
  const { capabilities, credentials } = manifest;
  if (!Array.isArray(capabilities) || !capabilities.every((entry) => entry === 'send' || entry === 'receive')) {
    problems.push('capabilities must be a list of send and receive');
  }
  if (!Array.isArray(credentials)) return [...problems, 'credentials must be a list'];
  const declared: unknown[] = credentials;
  const mapped = declared.map((entry) => (isJsonObject(entry) ? entry.maps_to : undefined));
  if (new Set(mapped).size !== mapped.length) problems.push('two credentials have the same maps_to');
  return [...problems, ...declared.flatMap(credentialProblems)];
}

const CREDENTIAL_TYPES = ['api_key', 'text', 'oauth2'];

function credentialProblems(entry: unknown, index: number): string[] {
  const credential: JsonObject = isJsonObject(entry) ? entry : {};
  const problems = ['key', 'label', 'maps_to']
    .filter((field) => !isText(credential[field]))
    .map((field) => `credentials[${index}].${field} must be a text and not empty`);
  return CREDENTIAL_TYPES.some((type) => type === credential.type)
    ? problems
    : [...problems, `credentials[${index}].type must be one of ${CREDENTIAL_TYPES.join(', ')}`];
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
