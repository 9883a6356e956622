import { argumentsProblem, readArguments } from './read-arguments.js';

const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;

describe('the arguments of a call', () => {
  it.each<[unknown, unknown]>([
    ['{"a":1}', { a: 1 }],
    [{ a: 1 }, { a: 1 }],
    [undefined, {}],
    [null, {}],
    ['', {}],
    [' \n', {}],
    ['null', {}],
    ['None', {}],
    ['""', {}],
    [[], {}],
    [[null], {}],
    [[{ a: 1 }], { a: 1 }],
    ['[{"a":1}]', { a: 1 }],
    [['{"a":1}'], { a: 1 }],
    [['{"a"', ':1', '}'], { a: 1 }],
    ['"{\\"a\\":1}"', { a: 1 }],
    [JSON.stringify(JSON.stringify('{"a":"\\"1"}')), { a: '"1' }],
    ['\ufeff{"a":1}', { a: 1 }],
    ['```json\n{"a":1}\n```', { a: 1 }],
    ['{"a":1,}', { a: 1 }],
    ['{"a":[1,2, ] , }', { a: [1, 2] }],
    ['{"a":1}}', { a: 1 }],
    ['{"a":1},', { a: 1 }],
    ['{"a":"}"}<|im_end|>', { a: '}' }],
    ['{"a":1}</tool_call>', { a: 1 }],
    ['{"a":"one\ntwo\t,]"}', { a: 'one\ntwo\t,]' }],
    ['{"a":"\\u0000\\ud800"}', { a: '\u0000\ud800' }],
    [nested(60), JSON.parse(nested(60))],
  ])('%j are read', (given, args) => {
    expect(readArguments(given)).toEqual(args);
  });

  it('keep the digits of a number that a double would change', () => {
    const sent = '{"id":12345678901234567890,"list":[-9007199254740993],"size":1e400,"small":7}';
    const kept = { id: '12345678901234567890', list: ['-9007199254740993'], size: '1e400', small: 7 };
    expect(readArguments(sent)).toEqual(kept);
    expect(readArguments(JSON.stringify(sent))).toEqual(kept);
  });

  it('keep a key `__proto__` as a key', () => {
    expect(Object.keys(readArguments('{"__proto__":{"a":1}}') as object)).toEqual(['__proto__']);
  });

  it.each([
    ['{"method": "GET", ', /not valid JSON.*cut off.*They begin with "\{\\"method/],
    ['{"a":1', /cut off/],
    ['{"a":"one', /cut off/],
    ['{"a":1 2}', /not valid JSON/],
    ['{"a":1}{"b":2}', /not valid JSON/],
    ['{"a":1}, "b": 2}', /not valid JSON/],
    ["{'a': 1}", /not valid JSON/],
    ['{"a":1,,}', /not valid JSON/],
    ['look at https://example.com', /not valid JSON/],
    [nested(64), /nested deeper than 64 levels/],
    [`{"a":${'['.repeat(50_000)}`, /not valid JSON/],
  ])('%.40s are left as text, and said to be wrong', (given, problem) => {
    const left = readArguments(given);
    expect(left).toBe(given);
    expect(argumentsProblem(given)).toMatch(problem);
  });

  it.each([7, true])('%j are no object', (given) => expect(readArguments(JSON.stringify(given))).toBe(given));

  it('given as an object that is nested too deep become text', () => {
    expect(typeof readArguments(JSON.parse(nested(100)))).toBe('string');
  });
});
