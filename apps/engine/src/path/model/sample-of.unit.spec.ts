import { compileSchema } from '#libs/tool-schema';
import { sampleOf } from './sample-of.js';

const object = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  ...more,
});

it.each<[string, Record<string, unknown>]>([
  [
    'texts and numbers',
    object({
      a: { type: 'string', minLength: 12, maxLength: 12 },
      b: { type: 'integer', minimum: 3 },
      c: { exclusiveMinimum: 4, type: 'number' },
    }),
  ],
  ['lists', object({ a: { type: 'array', minItems: 2, items: object({ b: { enum: ['x', 'y'] } }) } })],
  [
    'choices',
    object({
      a: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
      b: { oneOf: [{ const: 4 }] },
      c: { type: ['null', 'string'] },
    }),
  ],
  ['references', object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: { type: 'string' } } })],
  ['parts', { type: 'object', allOf: [object({ a: { type: 'string' } }), { required: ['a'] }] }],
  ['itself', { type: 'object', properties: { of: { $ref: '#' }, a: { type: 'string' } }, required: ['a'] }],
])('a sample of %s holds to its schema', (_what, schema) => {
  const check = compileSchema(schema);
  expect(check(sampleOf(schema)) || check.errors).toBe(true);
});

it('a sample of a schema that has no end ends', () => {
  expect(JSON.stringify(sampleOf(object({ of: { $ref: '#' } }))).length).toBeLessThan(500);
});
