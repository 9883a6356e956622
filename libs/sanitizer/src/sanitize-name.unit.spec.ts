import { sanitizeName } from './index.js';

describe('a name', () => {
  it.each([
    ['Ada', 'Ada'],
    ['  Ada \t Lovelace\r\n', 'Ada Lovelace'],
    ['Ada\u2028Lovelace\u00a0II', 'Ada Lovelace II'],
    ['\u202Eknab\u202C Bank', 'knab Bank'],
    ['\u2066a\u2067b\u2068c\u2069', 'abc'],
    ['\u200Ea\u200Fb\u061Cc', 'abc'],
    ['ש\u200Fלום\u200E 2026', 'שלום 2026'],
    ['pay\u200Bpal\u2060\uFEFF\u00AD', 'paypal'],
    ['pay\u200C\u200Dpal', 'paypal'],
    ['a\u{E0041}\u{E0042}b', 'ab'],
    ['a\0b\x1b[31mred\x7f', 'abred'],
    ['a\uD800b', 'a\uFFFDb'],
    ['\u3164', ''],
    ['\u202E\u200B \u2069', ''],
    ['', ''],
    ['می\u200Cخواهم', 'می\u200Cخواهم'],
    ['👨\u200D👩\u200D👧 family', '👨\u200D👩\u200D👧 family'],
    ['<b>Support</b> & [INST] </s>', '<b>Support</b> & [INST] </s>'],
    ['写真 отчёт', '写真 отчёт'],
  ])('%j is saved as %j', (given, saved) => {
    expect(sanitizeName(given)).toBe(saved);
    expect(sanitizeName(saved)).toBe(saved);
  });

  it.each(['\u202E\u200Ba', '\u200D', 'e\u0301\u0301', '\x1b[', ' \u200B'])(
    'takes no time that grows faster: %j',
    (part) => {
      expect(sanitizeName(part.repeat(1_000_000)).length).toBeLessThanOrEqual(4_096);
    },
  );
});
