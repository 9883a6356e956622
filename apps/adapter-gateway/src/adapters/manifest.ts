import { type Manifest, manifestProblems, stringifyJson } from '#libs/adapter-sdk';
import { isShallow, Problem } from '#libs/service-kit';

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
  const errors = manifestProblems(value);
  if (kind === 'skill' && value['skill'] === undefined) {
    errors.push({ field: 'skill', message: 'must be there when there is no adapter' });
  }
  if (errors.length > 0) throw new Problem(422, 'invalid_manifest', 'The manifest is not valid.', errors);
  return value as object as Manifest;
}
