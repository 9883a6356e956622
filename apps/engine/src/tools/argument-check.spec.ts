import { ArgumentCheck } from './argument-check.js';

const schema = (pattern: string) => ({ type: 'object', properties: { text: { type: 'string', pattern } } });

describe('arguments', () => {
  it('are checked by a pattern that would stop the process, in time', () => {
    const check = new ArgumentCheck();
    const startedMs = performance.now();
    const text = `${'a'.repeat(5_000)}!`;
    expect(check.problem(schema('^(a+)+$'), { text })).toContain('/text must match pattern');
    expect(check.problem(schema('^(a+)+!$'), { text })).toBeNull();
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });

  it('have no tool to go to whose schema is none', () => {
    const check = new ArgumentCheck();
    expect(check.isUsable(schema('('))).toBe(false);
    expect(check.isUsable(schema('^(?!x)a'))).toBe(true);
  });
});
