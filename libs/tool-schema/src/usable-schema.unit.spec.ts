import { compileSchema } from './compile-schema.js';
import { usableSchema } from './usable-schema.js';

type Given = Record<string, unknown>;
const draft = (n: number) => ({ $schema: `http://json-schema.org/draft-0${n}/schema#` });
const whole = { type: 'string', maxLength: 3 };

/** Whether the usable schema takes arguments. */
function takes(given: unknown, ...args: unknown[]): boolean[] {
  const { schema } = usableSchema(given);
  expect(schema['type']).toBe('object');
  const check = compileSchema(schema);
  return args.map((each) => check(each));
}

describe('a schema that can be used', () => {
  it.each<Given>([
    { type: 'object' },
    { type: 'object', properties: { a: whole, b: { $ref: '#/$defs/b' } }, $defs: { b: { not: {} } }, required: ['a'] },
    { ...draft(7), type: 'object', properties: { a: { items: [whole], additionalItems: false } } },
  ])('stays as it is: %j', (given) => {
    expect(usableSchema(given)).toEqual({ schema: given, lost: [] });
  });
});

describe('a broken part', () => {
  it.each<[string, Given, RegExp]>([
    ['a type that is none', { type: 'strng' }, /^\/properties\/b\/type /],
    ['a list with a type that is none', { type: ['string', 'strng'] }, /\/b\/type /],
    ['a type that is no text', { type: 5 }, /\/b\/type /],
    ['an invalid pattern', { pattern: '(' }, /\/b\/pattern is no regular expression/],
    ['an invalid pattern of names', { patternProperties: { '(': { type: 'string' } } }, /\/patternProperties\/\( /],
    ['a length that is none', { maxLength: -1 }, /\/b\/maxLength /],
    ['a list of values that is none', { enum: 'a' }, /\/b\/enum /],
    ['required as a boolean', { required: true }, /\/b\/required /],
    ['no alternatives', { anyOf: [] }, /\/b\/anyOf /],
    ['an alternative that is none', { anyOf: [{ type: 'strng' }, whole] }, /\/b\/anyOf\/0\/type /],
    ['elements that are no schema', { items: 5 }, /\/b\/items /],
    ['properties that are none', { properties: [], additionalProperties: false }, /\/b\/properties /],
    ['a property that is none', { properties: { c: 'text' } }, /\/b\/properties\/c /],
    ['a reference to nothing', { $ref: '#/$defs/lost' }, /\/b\/\$ref leads nowhere/],
    ['a reference to another document', { $ref: 'https://a.test/s.json' }, /\/b\/\$ref leads nowhere/],
    ['a reference that is no text', { $ref: 5 }, /\/b\/\$ref /],
    ['a reference to an anchor that is not there', { $ref: '#lost' }, /\/b\/\$ref leads nowhere/],
    ['a reference that never ends', { $ref: '#/properties/b' }, /\/b\/\$ref leads back to itself/],
    ['a condition on what is broken', JSON.parse('{"if":{"$ref":"#/$defs/lost"},"then":false}'), /\/if\/\$ref /],
    ['what excludes something broken', { not: { type: 'strng' } }, /\/not\/type /],
    ['one of two, of which one is broken', { oneOf: [{ type: 'strng' }, whole] }, /\/oneOf\/0\/type /],
    ['the rest of what is broken', { allOf: [{ $ref: '#/$defs/lost' }], unevaluatedProperties: false }, /\/allOf\/0\//],
    ['a limit on what is broken', { contains: { type: 'strng' }, maxContains: 1 }, /\/contains\/type /],
    ['an anchor that is none', { $anchor: '-' }, /\/b\/\$anchor /],
    ['a description that is no text', { description: 5 }, /\/b\/description /],
  ])('is left out and said, and the other property is checked: %s', (_what, b, reason) => {
    const given = { type: 'object', properties: { a: whole, b }, required: ['a'] };
    const { lost } = usableSchema(given);
    expect(lost).toHaveLength(1);
    expect(lost[0]).toMatch(reason);
    const any = [
      { a: 'abc', b: 'text' },
      { a: 'abc', b: 1 },
      { a: 'abc', b: { c: 1 } },
      { a: 'abc', b: ['x', 'y'] },
    ];
    expect(takes(given, ...any)).toEqual(any.map(() => true));
    expect(takes(given, { b: 'text' }, { a: 'abcd' }, { a: 1 })).toEqual([false, false, false]);
  });

  it('below a definition loses nothing beside it', () => {
    const $defs = { node: { type: 'object', properties: { name: whole, odd: { type: 'strng' } }, required: ['name'] } };
    const given = { type: 'object', properties: { a: { $ref: '#/$defs/node' } }, $defs };
    expect(usableSchema(given).lost).toEqual([expect.stringMatching(/^\/\$defs\/node\/properties\/odd\/type /)]);
    expect(takes(given, { a: { name: 'x', odd: 1 } }, { a: { name: 1 } }, { a: {} })).toEqual([true, false, false]);
  });

  it.each<[string, unknown[], boolean[]]>([
    ['a', [{ a: 'abc', b: 1 }, { b: 1 }, { a: 'abc' }], [true, true, true]],
    ['list', [{ a: 'abc', b: 1 }, { b: 1 }, { a: 'abc' }], [true, false, false]],
  ])('is a list of required properties, of which the usable ones stay: %s', (kind, args, results) => {
    const required = kind === 'list' ? ['a', 5, 'b', 'b'] : kind;
    const given = { type: 'object', properties: { a: whole }, required };
    expect(usableSchema(given).lost.length).toBeGreaterThan(0);
    expect(takes(given, ...args)).toEqual(results);
  });

  it('is every one of many', () => {
    const properties = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`p${n}`, { $ref: `#/$defs/n${n}` }]));
    const { lost } = usableSchema({ type: 'object', properties: { ...properties, a: whole } });
    expect(lost).toHaveLength(200);
    expect(takes({ type: 'object', properties: { ...properties, a: whole } }, { p1: 1 }, { a: 1 })).toEqual([
      true,
      false,
    ]);
  });

  it('may have any name', () => {
    const given = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"x"},"constructor":5,"a~/b":{"type":"x"}}}',
    );
    expect(usableSchema(given).lost).toHaveLength(3);
    expect(takes(given, { 'a~/b': 1, constructor: 1 })).toEqual([true]);
  });
});

describe('a root', () => {
  it.each([
    [{ properties: { a: whole } }, 0],
    [{ type: ['object', 'null'], properties: { a: whole } }, 0],
    [{ type: 'Object', properties: { a: whole } }, 0],
    [{ type: 'object', properties: { a: whole }, $async: true }, 0],
    [{ anyOf: [{ properties: { a: whole } }] }, 0],
  ])('without a usable type is an object: %j', (given, lost) => {
    expect(usableSchema(given).lost).toHaveLength(lost);
    expect(takes(given, { a: 'abc' }, { a: 1 })).toEqual([true, false]);
  });

  it.each([null, 'text', [], true, { type: 'string', enum: ['a'] }, { type: ['array'], minItems: 1 }])(
    'that describes no object takes any arguments, and says so: %j',
    (given) => {
      expect(usableSchema(given).lost).toHaveLength(1);
      expect(takes(given, {}, { a: 1 })).toEqual([true, true]);
    },
  );
});

describe('the words of another draft', () => {
  it.each<[string, Given, unknown[], boolean[]]>([
    ['an excluded bound of draft 4', { minimum: 5, exclusiveMinimum: true }, [5, 6], [false, true]],
    ['an included bound of draft 4', { maximum: 5, exclusiveMaximum: false }, [5, 6], [true, false]],
    [
      'a tuple of draft 7',
      { items: [whole], additionalItems: false },
      [['abc'], ['abc', 1], [1]],
      [true, false, false],
    ],
    ['any type of draft 3', { type: 'any' }, [1, 'a'], [true, true]],
    ['what may be null in OpenAPI', { anyOf: [whole], nullable: true }, [null, 'abc', 1], [true, true, false]],
    [
      'a reference that may be null',
      { $ref: '#/definitions/d', nullable: true },
      [null, 'abc', 1],
      [true, true, false],
    ],
    ['an anchor of draft 4', { $ref: '#named' }, ['abc', 1], [true, false]],
    ['an escape of older patterns', { type: 'string', pattern: '^[\\w\\-\\.]+$' }, ['a-b.c', 'a b'], [true, false]],
  ])('means the same: %s', (_what, b, values, results) => {
    for (const dialect of [{}, draft(4), draft(7), { $schema: 'https://json-schema.org/draft/2019-09/schema' }]) {
      const definitions = { d: whole, n: { id: '#named', ...whole } };
      const given = { ...dialect, type: 'object', properties: { b }, definitions };
      expect(usableSchema(given).lost).toEqual([]);
      expect(takes(given, ...values.map((value) => ({ b: value })))).toEqual(results);
    }
  });

  it.each(['id', '$id'])('may name the schema, and refer to it by its name: %s', (keyword) => {
    const given = {
      ...draft(4),
      [keyword]: 'http://a.test/s.json#',
      type: 'object',
      properties: { b: { $ref: 'http://a.test/s.json#/definitions/d' }, of: { $ref: '#' } },
      definitions: { d: whole },
    };
    expect(usableSchema(given).lost).toEqual([]);
    expect(takes(given, { b: 'abc', of: { b: 'a' } }, { b: 1 }, { of: { b: 1 } })).toEqual([true, false, false]);
  });
});
