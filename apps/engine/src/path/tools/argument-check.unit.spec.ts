import { growth } from '#libs/testing';
import { ArgumentCheck } from './argument-check.js';

const matching = (pattern: string) => ({ type: 'object', properties: { text: { type: 'string', pattern } } });

describe('arguments', () => {
  it('are checked in linear time by a pattern that would block the process', () => {
    const check = new ArgumentCheck();
    const growing = growth(
      1_200,
      (length) => `${'a'.repeat(length)}!`,
      (text) => {
        expect(check.problem(matching('^(a+)+$'), { text })).toContain('/text must match pattern');
        expect(check.problem(matching('^(a+)+!$'), { text })).toBeNull();
      },
    );
    expect(growing).toBeLessThan(1.5);
  });

  it('are not accepted for a tool whose schema is invalid', () => {
    const check = new ArgumentCheck();
    expect(check.isUsable(matching('('))).toBe(false);
    expect(check.isUsable(matching('^(?!x)a'))).toBe(true);
  });
});

const check = new ArgumentCheck();
const address = {
  type: 'object',
  required: ['city'],
  properties: { city: { type: 'string' }, zip: { type: 'string' } },
};
const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['id'],
  properties: {
    id: { type: 'string' },
    count: { type: 'integer', maximum: 50 },
    price: { anyOf: [{ type: 'number' }, { type: 'null' }] },
    dry: { type: 'boolean' },
    state: { enum: ['open', 'shipped'] },
    level: { enum: [1, 2, 3] },
    tags: { type: 'array', items: { type: 'string' } },
    to: { $ref: '#/$defs/address' },
    'a/b~c': { type: 'number' },
  },
  $defs: { address },
};

describe('arguments that do not have the types of the schema', () => {
  it.each<[object, object]>([
    [{ count: '5' }, { count: 5 }],
    [{ count: ' 5 ' }, { count: 5 }],
    [{ count: '5.0' }, { count: 5 }],
    [{ price: '1.50' }, { price: 1.5 }],
    [{ price: null }, { price: null }],
    [{ dry: 'true' }, { dry: true }],
    [{ dry: 'False' }, { dry: false }],
    [{ level: '2' }, { level: 2 }],
    [{ id: 42 }, { id: '42' }],
    [{ count: null, dry: null, state: null, tags: null, to: null }, {}],
    [{ tags: '["a","b"]' }, { tags: ['a', 'b'] }],
    [{ tags: [1, 2] }, { tags: ['1', '2'] }],
    [{ to: '{"city":"Graz","zip":8010}' }, { to: { city: 'Graz', zip: '8010' } }],
    [{ to: { city: 'Graz', zip: null } }, { to: { city: 'Graz' } }],
    [{ 'a/b~c': '1' }, { 'a/b~c': 1 }],
  ])('%j are taken', (given, args) => {
    const whole = { id: 'x', ...given };
    const fitted = check.fitted(schema, whole);
    expect(fitted).toEqual({ id: 'x', ...args });
    expect(check.problem(schema, fitted)).toBeNull();
  });

  it.each<[object, string]>([
    [{}, "arguments must have required property 'id'."],
    [{ id: null }, '/id must be string.'],
    [{ id: 'x', count: 'five' }, '/count must be integer.'],
    [{ id: 'x', count: '5.5' }, '/count must be integer.'],
    [{ id: 'x', count: '99' }, '/count must be integer.'],
    [{ id: 'x', count: '' }, '/count must be integer.'],
    [{ id: Number('12345678901234567890') }, '/id must be string.'],
    [
      { id: 'x', count: '12345678901234567890' },
      '/count must be integer. A number of more than 15 digits would lose some of them here.',
    ],
    [{ id: 'x', dry: 'yes' }, '/dry must be boolean.'],
    [{ id: 'x', tags: 'a, b' }, '/tags must be array.'],
    [{ id: 'x', state: 'gone' }, '/state must be equal to one of the allowed values (["open","shipped"]).'],
    [{ id: 'x', to: { city: null } }, '/to/city must be string.'],
    [{ id: 'x', more: 1 }, 'arguments must NOT have additional properties ("more").'],
  ])('%j are refused, with what is wrong', (given, problem) => {
    expect(check.fitted(schema, given)).toEqual(given);
    expect(check.problem(schema, given)).toBe(problem);
  });

  it('are not changed where they are valid', () => {
    const given = { id: '42', tags: ['1'] };
    expect(check.fitted(schema, given)).toBe(given);
  });
});
