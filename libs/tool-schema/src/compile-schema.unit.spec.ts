import { growth } from '#libs/testing';
import { compileSchema } from './compile-schema.js';

const holds = (pattern: string, text: string): boolean =>
  compileSchema({ type: 'object', properties: { text: { type: 'string', pattern } } })({ text });

describe('a pattern of a schema', () => {
  it.each([
    ['^[a-z0-9-]{1,64}$', 'a-name', 'A name'],
    ['\\d{4}-\\d\\d', 'in 2024-05', '24-05'],
    ['^\\p{L}+$', 'Ωmega', '1'],
    ['^\\u00e9\\/x$', 'é/x', 'e/x'],
    ['^[\\w.-]+@[\\w-]+$', 'a.b@c', 'a b@c'],
    ['^(?<year>\\d+)$', '2024', 'then'],
    ['^.$', '💩', 'ab'],
  ])('%s matches %j and not %j', (pattern, yes, no) => {
    expect([holds(pattern, yes), holds(pattern, no)]).toEqual([true, false]);
  });

  it.each(['^(a+)+$', '^(a|aa)+$', '^(a|a?)+$', '(a*)*b', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    '%s takes linear time in the length of the text',
    (pattern) => {
      const growing = growth(
        1_200,
        (length) => `${'a'.repeat(length)}!`,
        (text) => expect(holds(pattern, text)).toBe(false),
      );
      expect(growing).toBeLessThan(1.5);
    },
  );

  it('that cannot be run in linear time is left to the tool', () => {
    for (const pattern of ['^(?!x)a', '(a)\\1', '(?<=a)b', '(a{100}){100}', 'a'.repeat(2_000)]) {
      expect(holds(pattern, 'zzz')).toBe(true);
    }
    expect(holds('^a$', 'b'.repeat(20_000))).toBe(true);
  });

  it('is separate from others', () => {
    const properties = { a: { pattern: '^a$' }, b: { pattern: '^b$' }, c: { pattern: '^(?=c)c$' } };
    const check = compileSchema({ type: 'object', properties, patternProperties: { '^x-': { type: 'number' } } });
    expect(check({ a: 'a', b: 'b', c: 'any', 'x-1': 1 })).toBe(true);
    expect(check({ a: 'b' })).toBe(false);
    expect(check({ b: 'a' })).toBe(false);
    expect(check({ 'x-1': 'one' })).toBe(false);
  });

  it('that is invalid makes the schema invalid', () => {
    expect(() => holds('(', '')).toThrow(/regular expression/);
  });
});

describe('a schema', () => {
  it('is read in the dialect that it names', () => {
    const tuple = { type: 'array', items: [{ type: 'string' }], additionalItems: false };
    const check = compileSchema({ $schema: 'http://json-schema.org/draft-07/schema#', ...tuple });
    expect([check(['a']), check(['a', 'b'])]).toEqual([true, false]);
    expect(compileSchema({ prefixItems: [{ type: 'string' }] })([1])).toBe(false);
  });

  const node = { type: 'object', properties: { of: { type: 'array', items: { $ref: '#/$defs/node' } } } };
  it.each<[string, Record<string, unknown>]>([
    [
      'by a definition',
      { type: 'object', properties: { of: { $ref: '#/$defs/node/properties/of' } }, $defs: { node } },
    ],
    ['as a whole', { type: 'object', properties: { of: { type: 'array', items: { $ref: '#' } } } }],
    [
      'by its own id',
      {
        $id: 'https://a.test/s.json',
        type: 'object',
        properties: { of: { type: 'array', items: { $ref: 'https://a.test/s.json' } } },
      },
    ],
    [
      'by its own id and a place',
      {
        $id: 'https://a.test/s.json',
        type: 'object',
        properties: { of: { type: 'array', items: { $ref: 's.json#/$defs/node' } } },
        $defs: { node },
      },
    ],
    [
      'by an anchor',
      { $anchor: 'top', type: 'object', properties: { of: { type: 'array', items: { $ref: '#top' } } } },
    ],
    [
      'dynamically',
      { $dynamicAnchor: 'top', type: 'object', properties: { of: { type: 'array', items: { $dynamicRef: '#top' } } } },
    ],
    [
      'in the dialect of 2019',
      {
        $schema: 'https://json-schema.org/draft/2019-09/schema',
        $recursiveAnchor: true,
        type: 'object',
        properties: { of: { type: 'array', items: { $recursiveRef: '#' } } },
      },
    ],
    [
      'in draft 7',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        $id: 'tree',
        type: 'object',
        properties: { of: { type: 'array', items: { $ref: '#/definitions/node' } } },
        definitions: {
          node: { type: 'object', properties: { of: { type: 'array', items: { $ref: '#/definitions/node' } } } },
        },
      },
    ],
  ])('may contain itself %s', (_how, schema) => {
    const check = compileSchema(schema);
    expect(check({ of: [{ of: [] }, {}] })).toBe(true);
    expect(check({ of: [{ of: [{ of: 1 }] }] })).toBe(false);
  });

  it.each([
    [{ $ref: '#/$defs/a' }, { a: { $ref: '#/$defs/a' } }],
    [{ $ref: '#/$defs/a' }, { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }],
    [{ $ref: '#/$defs/a' }, { a: { anyOf: [{ type: 'string' }, { allOf: [{ $ref: '#/$defs/a' }] }] } }],
    [{ $ref: '#a' }, { a: { $anchor: 'a', not: { $ref: '#a' } } }],
  ])('that never ends is refused with the reference: %j', (at, $defs) => {
    expect(() => compileSchema({ type: 'object', properties: { at }, $defs })).toThrow(/leads back to itself/);
  });

  it('whose reference points nowhere is refused with the reference', () => {
    const schema = { type: 'object', properties: { a: { $ref: '#/$defs/lost' } } };
    expect(() => compileSchema(schema)).toThrow(/#\/\$defs\/lost/);
  });

  it('whose definitions name each other often is compiled all the same', () => {
    const both = (at: number) => ({
      type: 'object',
      properties: { a: { $ref: `#/$defs/d${at}` }, b: { $ref: `#/$defs/d${at}` } },
    });
    const $defs: Record<string, unknown> = { d60: { type: 'string' } };
    for (let at = 0; at < 60; at += 1) $defs[`d${at}`] = both(at + 1);
    const check = compileSchema({ type: 'object', properties: { n: { $ref: '#/$defs/d0' } }, $defs });
    expect([check({ n: { a: { b: {} } } }), check({ n: { a: 1 } })]).toEqual([true, false]);
  });

  it('fetches nothing', () => {
    expect(() => compileSchema({ $ref: 'https://example.com/schema.json' })).toThrow(/resolve reference/);
  });
});

describe('a property with a name that every object has', () => {
  const properties = {
    toString: { type: 'array' },
    constructor: { type: 'string' },
    hasOwnProperty: { type: 'object' },
  };

  it.each([{}, 'draft 7'])('is absent unless it is given, and checked where it is: %j', (dialect) => {
    const $schema = typeof dialect === 'string' ? { $schema: 'http://json-schema.org/draft-07/schema#' } : {};
    const optional = compileSchema({ ...$schema, type: 'object', properties, additionalProperties: false });
    expect([optional({}), optional({ toString: [1] }), optional({ toString: 'x' })]).toEqual([true, true, false]);
    const required = compileSchema({ ...$schema, type: 'object', properties, required: ['toString', 'constructor'] });
    expect([required({}), required({ toString: [], constructor: 'a' })]).toEqual([false, true]);
  });
});
