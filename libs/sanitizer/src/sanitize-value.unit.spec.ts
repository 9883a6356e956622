import { sanitizeValue } from './index.js';

const value = (input: unknown, limits = {}) => sanitizeValue(input, limits).value;

describe('a JSON value', () => {
  it('is cleaned in every text, keys included', () => {
    expect(value({ 'a\u200B': ['\u202Eb', { c: '<|im_start|>' }], n: 1, t: true, z: null })).toEqual({
      a: ['b', { c: '[removed-token]' }],
      n: 1,
      t: true,
      z: null,
    });
  });

  it('loses no entry when keys become equal', () => {
    expect(value({ a: 1, 'a\u200B': 2, '\u200Ba': 3 })).toEqual({ a: 1, 'a (2)': 2, 'a (3)': 3 });
  });

  it('keeps __proto__ as a key, and the prototype unchanged', () => {
    const result = value(JSON.parse('{"__proto__": {"admin": true}}')) as Record<string, unknown>;
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(result['admin']).toBeUndefined();
    expect(Object.keys(result)).toEqual(['__proto__']);
  });

  it('is bounded in depth, entries and text', () => {
    const { value: deep, report } = sanitizeValue({ a: { b: { c: 1 } } }, { maxDepth: 2 });
    expect({ deep, cut: report.cut }).toEqual({ deep: { a: { b: '[cut: 1 values, nested too deeply]' } }, cut: 1 });
    expect(value([1, 2, 3, 4], { maxEntries: 2 })).toEqual([1, 2, '[cut: 2 entries]']);
    expect(value({ a: 1, b: 2, c: 3 }, { maxEntries: 2 })).toEqual({ a: 1, b: 2, '[cut]': '1 entries' });
    expect(value('x'.repeat(500), { maxChars: 100 })).toMatch(/\[cut: \d+ characters\]$/);
  });

  it('is null where it is not JSON', () => {
    expect(value([undefined, Number.NaN, () => 1, 1n])).toEqual([null, null, null, null]);
  });

  it('has one report for all its texts', () => {
    const { report } = sanitizeValue(['\u200Ba', { '\u200Bb': '\u202E' }]);
    expect(report.counts).toEqual({ invisible_characters: 2, bidi_controls: 1 });
  });
});
