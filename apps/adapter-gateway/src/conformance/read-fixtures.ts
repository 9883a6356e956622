import { type ConformanceFixtures, isJsonObject } from '#libs/adapter-sdk';
import { Problem } from '#libs/service-kit';

/** Kinds of the fields of `conformance.json`; what is inside them the kit reads, and reports. */
const kinds: Record<keyof ConformanceFixtures, 'object' | 'list'> = {
  credentials: 'object',
  public_credentials: 'list',
  self: 'object',
  webhooks: 'object',
  deliver: 'object',
  format: 'list',
  sources: 'object',
  provider: 'object',
  not_applicable: 'object',
};

/** @throws Problem 422 `invalid_fields` for what is none of its fields, or of another kind; sample files cannot be read here */
export function readFixtures(given: Record<string, unknown>): ConformanceFixtures {
  const problems = Object.entries(given).flatMap(([name, value]) => {
    const kind = Object.hasOwn(kinds, name) ? kinds[name as keyof ConformanceFixtures] : null;
    if (kind === null) return [{ field: `fixtures.${name}`, message: 'is no field of conformance.json' }];
    const fits = kind === 'list' ? Array.isArray(value) : isJsonObject(value);
    return fits
      ? []
      : [{ field: `fixtures.${name}`, message: `has to be ${kind === 'list' ? 'a list' : 'an object'}` }];
  });
  if (problems.length > 0) throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', problems);
  return given;
}
