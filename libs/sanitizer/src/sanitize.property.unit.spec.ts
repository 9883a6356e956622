import fc from 'fast-check';
import { sanitize, sanitizeFileName, sanitizeValue } from './index.js';

/** Pieces that the rules look for: random texts combine them in unforeseen ways. */
const pieces = [
  '<!--', '-->', '--!>', '<!', '--', '<|', '|>', 'im_start', '[INST]', '[/', 'external', 'ехternal', ' 12ab', ']', '［', '<<SYS>>',
  '\x1b[', '\x1b]', '\x1b', '\x07', '\x9b', '31m', '\r', '\n', '\u0085', '\u200B', '\u200C', '\u200D', '\u202E', '\uFE0F', '\u{E0100}',
  '\u{E0067}', '\u{1F3F4}', '\u{1F468}', '\u{1F3FD}', 'می', 'क्', 'e', '\u0301', '\u0353'.repeat(9), '\uD800', '\uDC00', '\0',
  '```', '`', '\n~~~\n', '\n\nHuman:', '\u2800', '\uFA19', 'ไ', 'ש', '＜|', '</s>', '[//]: # (', ')', '[a]: b "', '"', '  ', '\u1100', '\u1161', '\u0958', '\u{1D15E}', '\u180B', '1', '\u20E3', '\uFFFF',
]; // prettier-ignore
const text = fc.oneof(
  fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 40 })
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 200 }),
);
const limits = fc.record({ maxChars: fc.integer({ min: 64, max: 400 }), maxLines: fc.integer({ min: 2, max: 10 }) });

/**
 * What must never remain in a result. What is allowed in code or in some scripts is checked where none of these occur.
 */
const forbidden =
  // oxlint-disable-next-line no-control-regex
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u202A-\u202E\u2066-\u2069\uFEFF\p{Cs}]|[<＜]\|im_start\|[>＞]/su;
const forbiddenOutsideCode = /\u200B|\[INST\]|<!--/;

describe('sanitising any text', () => {
  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(text, limits, (input, options) => {
        const once = sanitize(input, options).text;
        const twice = sanitize(once, options);
        expect(twice.text).toBe(once);
        expect(twice.report.counts).toEqual({});
      }),
      { numRuns: 3_000 },
    );
  });

  it('leaves nothing that is forbidden, within the limits', () => {
    fc.assert(
      fc.property(text, limits, fc.constantFrom('text' as const, 'html' as const), (input, options, format) => {
        const { text: result, report } = sanitize(input, { ...options, format });
        expect(result).not.toMatch(forbidden);
        if (!/[`~ไ]/.test(input)) expect(result).not.toMatch(forbiddenOutsideCode);
        expect(result.length).toBeLessThanOrEqual(options.maxChars);
        expect(result.split('\n').length).toBeLessThanOrEqual(options.maxLines);
        if (!/[\uF900-\uFAFF\u{2F800}-\u{2FA1F}]/u.test(input)) expect(result).toBe(result.normalize('NFC'));
        expect(report.rounds).toBeLessThanOrEqual(8);
      }),
      { numRuns: 3_000 },
    );
  });

  it('leaves printable ASCII without brackets unchanged', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ -;=-Z\\-~]{0,300}$/), (input) => {
        expect(sanitize(input)).toEqual({ text: input, report: { counts: {}, rounds: 1, cut: 0, settled: true } });
      }),
    );
  });
});

describe('sanitising any value', () => {
  it('returns JSON of the same shape, and the same result the second time', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (input) => {
        const once = sanitizeValue(input).value;
        expect(JSON.parse(JSON.stringify(once))).toEqual(JSON.parse(JSON.stringify(sanitizeValue(once).value)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('never throws, whatever the value', () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withMap: true, withDate: true, withNullPrototype: true }),
        (input) => {
          expect(() => JSON.stringify(sanitizeValue(input).value)).not.toThrow();
        },
      ),
    );
  });
});

describe('sanitising any file name', () => {
  it('returns a name that every file system accepts', () => {
    fc.assert(
      fc.property(text, (input) => {
        const { name } = sanitizeFileName(input);
        // oxlint-disable-next-line no-control-regex
        expect(name).toMatch(/^[^/\\<>:"|?*\0-\x1f]+$/);
        expect(name).not.toMatch(/^[ .]|[ .]$/);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
        expect(sanitizeFileName(name).name).toBe(name);
      }),
      { numRuns: 2_000 },
    );
  });
});
