import { growth } from '#libs/testing';
import { ArgumentCheck } from './argument-check.js';

const schema = (pattern: string) => ({ type: 'object', properties: { text: { type: 'string', pattern } } });

describe('arguments', () => {
  it('are checked in linear time by a pattern that would block the process', () => {
    const check = new ArgumentCheck();
    const growing = growth(
      1_200,
      (length) => `${'a'.repeat(length)}!`,
      (text) => {
        expect(check.problem(schema('^(a+)+$'), { text })).toContain('/text must match pattern');
        expect(check.problem(schema('^(a+)+!$'), { text })).toBeNull();
      },
    );
    expect(growing).toBeLessThan(1.5);
  });

  it('are not accepted for a tool whose schema is invalid', () => {
    const check = new ArgumentCheck();
    expect(check.isUsable(schema('('))).toBe(false);
    expect(check.isUsable(schema('^(?!x)a'))).toBe(true);
  });
});
