import { stringifyJson } from './json-value.js';
import type { FieldProblem } from './typed-field.js';

const maxBytes = 262_144;
const maxLevels = 32;
/** JSON text escapes a surrogate only when it is alone. Postgres stores neither that nor U+0000. */
const unstorable = /\\u(0000|d[89a-f])/i;

/** Why a manifest is not even read, whatever it says. */
export function sizeProblems(manifest: object): FieldProblem[] {
  const json = hasLevels(manifest, maxLevels) ? stringifyJson(manifest) : undefined;
  if (json !== undefined && Buffer.byteLength(json) <= maxBytes) return [];
  return [{ field: 'manifest', message: `must have at most ${maxBytes} bytes and ${maxLevels} levels` }];
}

/** Why a manifest that is well otherwise cannot be stored. */
export function storageProblems(manifest: object): FieldProblem[] {
  if (!unstorable.test(stringifyJson(manifest) ?? '')) return [];
  return [{ field: 'manifest', message: 'must have neither U+0000 nor lone surrogates' }];
}

function hasLevels(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return most > 0 && Object.values(value).every((entry) => hasLevels(entry, most - 1));
}
