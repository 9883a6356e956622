import type { Manifest } from '#libs/adapter-sdk';
import { type FieldError, Problem } from '#libs/service-kit';

const text = (value: unknown): boolean => typeof value === 'string' && value.length > 0;
const credentialTypes = ['api_key', 'text', 'oauth2'];

/**
 * Checks a manifest that an adapter served (spec 2.1, 2.2). Unknown fields are kept and ignored.
 * @throws Problem 422 `invalid_manifest`, field by field
 */
export function readManifest(value: Record<string, unknown>): Manifest {
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
    const declared = entry as Record<string, unknown>;
    need(`credentials[${index}].key`, text(declared['key']), 'has to be a text');
    need(`credentials[${index}].maps_to`, text(declared['maps_to']), 'has to be a text');
    need(
      `credentials[${index}].type`,
      credentialTypes.includes(String(declared['type'])),
      `is one of ${credentialTypes.join(', ')}`,
    );
  }
  if (errors.length > 0)
    throw new Problem(422, 'invalid_manifest', 'The adapter serves a manifest that is not valid.', errors);
  return value as object as Manifest;
}
