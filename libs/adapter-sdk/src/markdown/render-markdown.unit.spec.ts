import fc from 'fast-check';
import {
  alignedTable,
  htmlDialect,
  markdownToPlain,
  plainDialect,
  renderInParts,
  renderMarkdown,
  type MarkdownDialect,
} from '../index.js';

const html = (markdown: string): string => renderMarkdown(markdown, htmlDialect).text;
const plain = (markdown: string): string => markdownToPlain(markdown).text;

describe('plain text', () => {
  it.each([
    ['1. one\n2. two\n   - deeper\n', '1. one\n2. two\n   - deeper'],
    ['3) three\n4) four', '3. three\n4. four'],
    ['- [x] done\n- [ ] open', '- [x] done\n- [ ] open'],
    ['- a\n\n- b', '- a\n\n- b'],
    ['para\n- a\n- b\n\n\nnext', 'para\n- a\n- b\n\n\nnext'],
    ['Title\n=====\n\ntext', 'Title\n\ntext'],
    ['| a | b |\n|---|---|\n| **1** | 2 |', 'a | b\n1 | 2'],
    ['![a cat](https://e.com/cat.png)', 'a cat (https://e.com/cat.png)'],
    ['[text][ref]\n\n[ref]: https://e.com', 'text (https://e.com)'],
    ['mail <jane@e.com> or https://e.com/x', 'mail jane@e.com or https://e.com/x'],
    ['~5 minutes, ~6 at most', '~5 minutes, ~6 at most'],
    ['<b>bold</b> & <key> of List<String>, <b>', 'bold & <key> of List<String>, <b>'],
    ['one<br>two<!-- unseen --> <kbd>Ctrl</kbd> H<sub>2</sub>O', 'one\ntwo Ctrl H2O'],
    ['<details>\n<summary>More &amp; more</summary>\n\n- item\n\n</details>', 'More & more\n\n- item'],
    ['<ul>\n<li>one</li>\n<li>two</li>\n</ul>', '- one\n- two'],
    ['<a href="https://e.com">page</a> <a href="javascript:x">run</a>', 'page (https://e.com) run (javascript:x)'],
    ['<!DOCTYPE html>', '<!DOCTYPE html>'],
    ['2*3*4, x**2 + y**2 and f(a)*b*(c)', '2*3*4, x**2 + y**2 and f(a)*b*(c)'],
    ['a **b** c, **B**s, re**al**', 'a b c, Bs, real'],
    ['**重要：**请看~~（旧）~~的', '重要：请看（旧）的'],
    ['`**重要：**请` \\*\\*重要：\\*\\*请', '**重要：**请 **重要：**请'],
    ['\\(a_1*b*c\\) $x*y*z$ $$\\{a*\nb*\\}$$', '\\(a_1*b*c\\) $x*y*z$ $$\\{a*\nb*\\}$$'],
    ['$5 *or* $6, `$a*b*$`', '$5 or $6, $a*b*$'],
    ['hard  \nbreak', 'hard\nbreak'],
    ['---', '---'],
  ])('%j becomes %j', (markdown, expected) => {
    expect(plain(markdown)).toBe(expected);
  });

  it('leaves text without markup unchanged, blank lines included, and is idempotent on it', () => {
    const word = fc.constantFrom('word', 'a.b', 'it’s', '(so)', '3', 'snake_case', 'x=1;', '"q"', '…', '😀', '50%');
    const line = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => `W ${words.join(' ')}`);
    const text = fc.array(fc.tuple(line, fc.constantFrom('\n', '\n\n', '\n\n\n')), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(text, (lines) => {
        const given = lines.flat().join('').trim();
        expect(plain(given)).toBe(given);
      }),
    );
  });
});

describe('HTML for mail', () => {
  it('keeps the structure and escapes everything else', () => {
    expect(html('# A & B\n\n**bold** _soft_ ~~gone~~ `a<b`\n\n> quoted')).toBe(
      '<h1>A &amp; B</h1>\n<p><strong>bold</strong> <em>soft</em> <del>gone</del> <code>a&lt;b</code></p>\n' +
        '<blockquote>\n<p>quoted</p>\n</blockquote>',
    );
    expect(html('2. b\n3. c')).toBe('<ol start="2">\n<li>b</li>\n<li>c</li>\n</ol>');
    expect(html('|a|\n|-|\n|<i>|')).toContain('<tr><td>&lt;i&gt;</td></tr>');
    expect(html('```js\nif (a < b) {}\n```')).toBe('<pre><code>if (a &lt; b) {}</code></pre>');
  });

  it('lets no markup and no script of the author through', () => {
    expect(html('<script>alert(1)</script>')).toBe('<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>');
    expect(html('x <img src=x onerror=alert(1)>')).not.toContain('<img');
    for (const url of [
      'javascript:alert(1)',
      'JAVASCRIPT:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'java&Tab;script:x',
      'java&#9;script:x',
      'java&NewLine;script&colon;x',
      '&#1;javascript:x',
      'javascript\\:x',
      '<java\tscript:x>',
      '< \tjavascript:x>',
      'file:///etc/passwd',
      'blob:https://e.com/1',
      'custom:x',
    ]) {
      expect(html(`[click](${url})`)).not.toContain('<a ');
      expect(html(`![click](${url})`)).not.toContain('<a ');
      expect(html(`[click][a]\n\n[a]: ${url}`)).not.toContain('<a ');
    }
    expect(html('[a](https://e.com/?q="><script>)')).not.toContain('<script>');
    expect(html('[a](https://e.com) [b](mailto:a@e.com) [c](/path?x=a:b)').match(/<a /g)).toHaveLength(3);
  });

  it('loads no picture, and says so', () => {
    const { text, lossy } = renderMarkdown('![a cat](https://e.com/cat.png)', htmlDialect);
    expect([text, lossy]).toEqual(['<p><a href="https://e.com/cat.png">a cat</a></p>', ['image']]);
  });
});

describe('a custom dialect', () => {
  const dialect: MarkdownDialect = {
    ...plainDialect,
    lossy: ['heading', 'table'],
    strong: (content) => `*${content}*`,
    table: ({ textRows }) => `<<${alignedTable(textRows)}>>`,
  };

  it('renders its own constructs its way, and reports a loss only where it occurs', () => {
    expect(renderMarkdown('**a** b', dialect)).toEqual({ text: '*a* b', lossy: [] });
    expect(renderMarkdown('# h\n\n|**x**|yy|\n|-|-|\n|zzz|1|', dialect)).toEqual({
      text: 'h\n\n<<x   | yy\n----+---\nzzz | 1>>',
      lossy: ['heading', 'table'],
    });
  });
});

describe('rendering in parts', () => {
  const long = Array.from({ length: 300 }, (_, index) => `w${index} **b** & <c>`).join(' ');

  it('cuts the Markdown, so that each part is well formed, within the limit and in order', () => {
    const { parts } = renderInParts(long, htmlDialect, { maxLength: 500 });
    expect(parts.length).toBeGreaterThan(5);
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(500);
      expect(part).toMatch(/^<p>.*<\/p>$/s);
      expect(part.match(/<strong>/g)?.length ?? 0).toBe(part.match(/<\/strong>/g)?.length ?? 0);
    }
    expect(parts.join(' ').match(/w\d+/g)).toEqual(long.match(/w\d+/g));
  });

  it('counts as the provider counts', () => {
    const text = 'a & b '.repeat(80).trim();
    const visible = (rendered: string): number => rendered.replaceAll(/<[^>]*>/g, '').replaceAll(/&\w+;/g, '.').length;
    expect(renderInParts(text, htmlDialect, { maxLength: 480, measure: visible }).parts).toHaveLength(1);
    expect(renderInParts(text, htmlDialect, { maxLength: 480 }).parts.length).toBeGreaterThan(1);
  });

  it('returns no part for an empty text', () => {
    expect(renderInParts(' \n ', plainDialect, { maxLength: 10 }).parts).toEqual([]);
  });
});

describe('texts of any size and shape', () => {
  it('survive, lose no word, and give the same output again', () => {
    const marks = fc.constantFrom(
      'word',
      ' ',
      '\n',
      '\n\n',
      '*',
      '**',
      '_',
      '`',
      '```\n',
      '> ',
      '- ',
      '1. ',
      '[',
      '](',
      ')',
      '|',
      '#',
      '<',
      '&',
      '\\',
      '~~',
      '    ',
    );
    fc.assert(
      fc.property(fc.array(marks, { maxLength: 80 }), (pieces) => {
        const text = pieces.join('');
        const rendered = renderMarkdown(text, htmlDialect).text;
        expect(renderMarkdown(text, htmlDialect).text).toBe(rendered);
        expect(rendered.replaceAll(/<\/?[a-z]\w*( [a-z]+="[^"<>]*")?>/g, '')).not.toMatch(/[<>]/);
      }),
      { numRuns: 500 },
    );
  });

  it('are parsed in sections when they are long, with code kept whole', () => {
    const code = Array.from({ length: 3000 }, (_, index) => `line ${index}\n`).join('\n');
    const text = `${'**bold** words.\n\n'.repeat(800)}\`\`\`\n${code}\`\`\`\n\nend **here**`;
    const rendered = plain(text);
    expect(rendered).not.toContain('**');
    expect(rendered).toContain(code.trimEnd());
    expect(rendered.endsWith('end here')).toBe(true);
  });

  it('do not overflow the stack, however deep', () => {
    for (const mark of ['> ', '- ', '* ', '1. ', '>']) {
      expect(plain(`${mark.repeat(20_000)}deep`)).toContain('deep');
    }
  });
});
