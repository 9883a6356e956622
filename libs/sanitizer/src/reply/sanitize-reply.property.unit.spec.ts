import fc from 'fast-check';
import { sanitizeReply } from '../index.js';

/** Pieces of images, elements, thoughts and links: random texts combine them in unforeseen ways. */
const pieces = [
  '![', '!', '[', ']', '](', '][', ')', '(', '[a]', '![a]', ']: ', '[a]: https://e.example/', '\n\n[a]: ', 'https://e.example/?q=', '//e.example/',
  '<', '>', '<img', ' src="', ' src=', '"', "'", '<iframe ', '<style>', '<b', ' style=', '/', '\\', '`', '```', '\n', '\n\n', '- ', '> ', '   ',
  '<think>', '</think>', '<thinking>', '[THINK]', '[/THINK]', '<|channel|>analysis<|message|>', '<|end|>', '<|im_start|>', '<!--', '-->',
  'www.', 'x'.repeat(300), '¦', '\u200B', '\u202E', '\0', '\uD800', 'https://ok.example/a.png', '&#58;', '@', 'e\u0301', '[image removed: ', '[thinking removed]',
]; // prettier-ignore
const text = fc.oneof(
  fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 40 })
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 200 }),
);
const known = { allowedHosts: ['ok.example'] };

describe('sanitising any reply', () => {
  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(text, (input) => {
        const once = sanitizeReply(input, known);
        const twice = sanitizeReply(once.text, known);
        expect(twice.text).toBe(once.text);
        expect(twice.report.counts).toEqual({});
      }),
      { numRuns: 5_000 },
    );
  });

  it('leaves no plain image of another host outside of fences', () => {
    fc.assert(
      fc.property(text, (input) => {
        const { text: left } = sanitizeReply(input, known);
        if (/`{3}|~{3}/.test(left)) return;
        expect(left).not.toMatch(/!\[[^[\]\\`]*\]\([ \n]*<?(?:https?:)?\/\/(?!ok\.example)[^\s)]/);
        expect(left).not.toMatch(/<img[\s/][^<>]*src\s*=\s*["']?(?:https?:)?\/\/(?!ok\.example)/i);
      }),
      { numRuns: 5_000 },
    );
  });

  it('leaves ordinary prose unchanged', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ -;=?-Z^-~]{0,250}$/), (input) => {
        expect(sanitizeReply(input).text).toBe(input);
      }),
    );
  });
});
