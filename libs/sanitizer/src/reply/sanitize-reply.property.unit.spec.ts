import fc from 'fast-check';
import { Parser } from 'htmlparser2';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { sanitizeReply } from '../index.js';

/** Pieces of images, elements, thoughts and links: random texts combine them in unforeseen ways. */
const pieces = [
  '![', '!', '[', ']', '](', '][', ')', '(', '[a]', '![a]', ']: ', '[a]: https://e.example/', '\n\n[a]: ', 'https://e.example/?q=', '//e.example/',
  '<', '>', '<img', ' src="', ' src=', '"', "'", '<iframe ', '<style>', '<b', ' style=', '/', '\\', '`', '```', '\n', '\n\n', '- ', '> ', '   ',
  '<think>', '</think>', '<thinking>', '[THINK]', '[/THINK]', '<|channel|>analysis<|message|>', '<|end|>', '<|im_start|>', '<!--', '-->',
  'www.', 'x'.repeat(300), '¦', '\u200B', '\u202E', '\0', '\uD800', 'https://ok.example/a.png', '&#58;', '@', 'e\u0301', '[image removed: ', '[thinking removed]',
  '[a](', '[b]: ', '<a href="', '">', 'javascript:', 'java', 'script', ':', '&colon;', '&#9;', '\t', '&#106;', 'vbscript:x', 'data:text/html,x', 'href', '=',
  '[a](javascript:x)', '[a](<java\tscript:x>)', '[a]: vbscript:x', '<javascript:x>', '<a href="java&#9;script:x">',
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

  it('leaves no link that runs code outside of fences, as parsers of Markdown and HTML read it', () => {
    fc.assert(
      fc.property(text, (input) => {
        const { text: left } = sanitizeReply(input, known);
        if (/`{3}|~{3}/.test(left)) return;
        const code = addressesIn(left).filter((address) => /^(?:javascript|vbscript|data):/.test(schemeOf(address)));
        expect(code.filter((address) => !/^\s*data:image\/(?!svg)/i.test(address))).toEqual([]);
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

/** Where links lead: in Markdown, and in the HTML in it. */
function addressesIn(text: string): string[] {
  const found: string[] = [];
  const parser = new Parser({ onattribute: (name, value) => void (name.endsWith('href') && found.push(value)) });
  const open: unknown[] = [fromMarkdown(text)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { type, url, value, children } = node as { type: string; url?: string; value?: string; children?: unknown[] };
    if (url !== undefined) found.push(url);
    if (type === 'html') parser.write(value ?? '');
    open.push(...(children ?? []));
  }
  parser.end();
  return found;
}

const schemeOf = (address: string): string => URL.parse(address)?.protocol ?? '';
