import { patternProblem, problemOf } from './answer-rule.js';

describe('a rule for answers', () => {
  it.each([
    [{ contains: 'Refund' }, 'Your refund is on its way.', null],
    [{ contains: 'refund' }, 'No.', 'does not contain "refund"'],
    [{ matches: '^\\d+ days?$' }, '14 Days', null],
    [{ matches: '^\\d+ days?$' }, 'in 14 days', 'does not match ^\\d+ days?$'],
    [{ matches: 'zurück' }, 'Sie kommt ZURÜCK.', null],
    [{ forbids: ['sorry', 'cannot'] }, 'Done.', null],
    [{ forbids: ['sorry', 'cannot'] }, 'We CANNOT do it.', 'contains "cannot"'],
    [{ pointer: '/items/0/total', equals: 3 }, '{"items": [{"total": 3}]}', null],
    [{ pointer: '/total', equals: 3 }, '{"total": "3"}', 'has "3" at /total, not 3'],
    [{ pointer: '/total', equals: 3 }, '{}', 'has nothing at /total, not 3'],
    [{ pointer: '', equals: [] }, '[', 'is not JSON'],
    [{ calls: 'http_request' }, '', null],
    [{ calls: 'send_email' }, '', 'did not call send_email'],
  ])('%j of %j: %s', (rule, answer, problem) => {
    expect(problemOf(rule, answer, ['http_request'])).toBe(problem);
  });

  it('takes linear time, whatever its regular expression', () => {
    expect(problemOf({ matches: '^(a+)+$' }, `${'a'.repeat(5_000)}!`, [])).toBe('does not match ^(a+)+$');
  });

  it('says what is wrong with a regular expression', () => {
    expect(patternProblem('a|b')).toBeNull();
    expect(patternProblem('(')).toMatch(/missing/);
    expect(patternProblem('(?=a)')).toMatch(/invalid|unsupported/i);
  });
});
