import { problemOf, readCases } from './eval-rules.js';

describe('a rule of gatehouse eval', () => {
  it.each([
    [{ contains: 'Refund' }, 'Your refund is on its way.', null],
    [{ contains: 'refund' }, 'No.', 'does not contain "refund"'],
    [{ matches: '^\\d+ days?$' }, '14 Days', null],
    [{ matches: '^\\d+ days?$' }, 'in 14 days', 'does not match ^\\d+ days?$'],
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

  it.each([
    ['{', 'not JSON'],
    ['{"cases": []}', 'no list "cases"'],
    ['{"cases": [{"messages": [], "rules": [{"contains": "a"}]}]}', '"messages"'],
    ['{"cases": [{"messages": ["a"], "rules": []}]}', '"rules"'],
    ['{"cases": [{"messages": ["a"], "turn": "trn_1", "rules": [{"contains": "a"}]}]}', '"messages" or "turn"'],
    ['{"cases": [{"turn": 1, "rules": [{"contains": "a"}]}]}', 'id of a turn'],
    ['{"cases": [{"messages": ["a"], "rules": [{"contains": "a", "calls": "b"}]}]}', 'exactly one'],
    ['{"cases": [{"messages": ["a"], "rules": [{"contains": "a", "equals": "b"}]}]}', 'takes no "equals"'],
    ['{"cases": [{"messages": ["a"], "rules": [{"matches": "("}]}]}', 'no regular expression'],
    ['{"cases": [{"messages": ["a"], "rules": [{"pointer": "/a"}]}]}', 'needs "equals"'],
    ['{"cases": [{"messages": ["a"], "rules": [{"pointer": "a", "equals": 1}]}]}', 'JSON Pointer'],
    ['{"cases": [{"messages": ["a"], "rules": [{"forbids": "a"}]}]}', 'list of texts'],
  ])('is refused in %s', (text, message) => {
    expect(() => readCases(text, 'cases.json')).toThrow(
      expect.objectContaining({
        exit: 2,
        message: expect.stringContaining(message),
        where: expect.stringMatching(/^cases\.json/),
      }),
    );
  });
});
