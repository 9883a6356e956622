import { readCases } from './eval-rules.js';

describe('a rule of gatehouse eval', () => {
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
