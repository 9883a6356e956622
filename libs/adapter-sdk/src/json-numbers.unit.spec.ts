import { parseKeepingNumbers, wholeNumberAsText } from './json-numbers.js';

describe('numbers in a body', () => {
  it.each([
    ['12345678901234567890', '12345678901234567890'],
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['0.12345678901234567890123', '0.12345678901234567890123'],
    ['1e400', '1e400'],
    ['1e-400', '1e-400'],
  ])('keep their digits where a double would change them: %s', (source, expected) => {
    expect(parseKeepingNumbers(`{"n":[${source}]}`)).toEqual({ n: [expected] });
  });

  it.each([
    ['9007199254740992', 9007199254740992],
    ['1.10', 1.1],
    ['1.1000000000000000000', 1.1],
    ['1e3', 1000],
    ['100000000000000000000', 1e20],
    ['1E+2', 100],
    ['-0.000', -0],
    ['0.0000001', 1e-7],
  ])('are numbers where a double holds them: %s', (source, expected) => {
    expect(parseKeepingNumbers(`{"n":${source},"long":"0000000000000000"}`)).toMatchObject({ n: expected });
  });

  it('are read at any depth', () => {
    const depth = 100_000;
    const deep = `${'['.repeat(depth)}12345678901234567890${']'.repeat(depth)}`;
    expect(Array.isArray(parseKeepingNumbers(deep))).toBe(true);
  });

  it('become decimal digits as ids, if they are whole', () => {
    expect([2 ** 53, 1e21, -0, -5].map(wholeNumberAsText)).toEqual([
      '9007199254740992',
      `1${'0'.repeat(21)}`,
      '0',
      '-5',
    ]);
    expect([1.5, 'a', null, true].map(wholeNumberAsText)).toEqual([1.5, 'a', null, true]);
  });

  it('are left alone in texts and names', () => {
    const text = '{"12345678901234567890":"12345678901234567890"}';
    expect(parseKeepingNumbers(text)).toEqual({ '12345678901234567890': '12345678901234567890' });
  });
});
