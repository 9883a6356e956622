import { linksIn, sanitize, sanitizeOwnWords, sanitizeReply } from '../index.js';

const known = { allowedHosts: ['img.desk.example', '*.cdn.example', 'localhost:8080'] };
const clean = (text: string) => sanitizeReply(text, known).text;
const data = 'QUJD'.repeat(100);

describe('what a reply keeps', () => {
  it.each([
    [
      'Markdown',
      '# Title\n\n- *one* **two** `three`\n1. [a link](https://example.com/a?b=c "title") <https://x.example/>\n\n| a | b |\n|---|---|',
    ],
    [
      'code',
      '```html\n<!-- keep --><a href="javascript:x"><img src="https://x.example/a.png">\n![a](https://x.example)\n<think>\n```\nUse `<think>` and `[INST]`.',
    ],
    ['comparisons and generics', 'a < b, Map<string, Link>, x <y> z, <Input>, if (a <b) c'],
    [
      'images of hosts that the Skills bind',
      '![a](https://img.desk.example/x?y=1) ![b](<http://localhost:8080/c d>) <img src="https://a.cdn.example/b.png" alt="x">',
    ],
    ['references to them', '![a][one]\n\n[one]: https://img.desk.example/x.png "t"'],
    [
      'images of its own server, and in the text',
      '![a](./a.png) ![b](/b.png) ![größe](größe.png) ![c](data:image/png;base64,aGk//aGk=)',
    ],
    ['exclamations before links', 'Look![^1] See this! [here](https://x.example/)'],
    ['short links to anywhere', 'https://x.example/search?q=tea&lang=en#top, www.y.example'],
    ['scripts and families', 'שלום\u200F (3) می\u200Cخواهم 👨\u200D👩\u200D👧 葛\u{E0100}'],
    [
      'HTML that loads nothing',
      '<b>bold</b> <a href="https://x.example/">a</a> <br> <details><summary>x</summary></details>',
    ],
    ['a tag that is spoken of', 'I know `</think>`; and [removed-token] is gone'],
  ])('%s', (_what, text) => {
    expect(sanitizeReply(text, known)).toMatchObject({ text, report: { counts: {}, settled: true } });
  });

  it('keeps the images that the message itself shows, and no others of their host', () => {
    const namedLinks = new Set(linksIn('See (https://x.example/chart.png).'));
    const text = '![a](https://x.example/chart.png) ![b](https://x.example/chart.png?q=secret)';
    expect(sanitizeReply(text, { namedLinks }).text).toBe(
      '![a](https://x.example/chart.png) [image removed: x.example]',
    );
  });

  it('keeps long links that the turn has read', () => {
    const link = `https://files.example/a?signature=${data}`;
    const readLinks = new Set(linksIn(JSON.stringify({ url: link })));
    expect(sanitizeReply(`Here: [file](${link}).`, { readLinks }).text).toBe(`Here: [file](${link}).`);
    expect(sanitizeReply(link, { allowedHosts: ['files.example'] }).text).toBe(link);
  });
});

describe('what a reply loses', () => {
  it.each([
    ['thoughts', '<think>hm\n\nhm</think>\n\nYes.', '[thinking removed]\n\nYes.'],
    ['thoughts that do not end', 'Yes.\n<thinking>but\n\nthen', 'Yes.\n[thinking removed]'],
    ['thoughts that only end', 'hm, hm\n</think>\nYes.', '[thinking removed]\nYes.'],
    ['thoughts in thoughts', '<think>a<think>b</think>c</think>d', '[thinking removed]d'],
    ['thoughts of other models', '[THINK]a[/THINK]b ◁think▷c◁/think▷d', '[thinking removed]b [thinking removed]d'],
    [
      'channels',
      '<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b',
      '[thinking removed]b',
    ],
    ['tokens', 'a<|im_end|>b</s>', 'a[removed-token]b[removed-token]'],
    ['hidden text', 'a<!-- b -->\u202Ec\u200B\u{E0041}', 'a[comment removed]c'],
    ['an image that carries data', '![x](https://evil.example/?q=secret) end', '[image removed: evil.example] end'],
    [
      'one in a link',
      '[![x](https://evil.example/a)](https://x.example)',
      '[[image removed: evil.example]](https://x.example)',
    ],
    [
      'one with a title, and one in brackets',
      '![](https://e.example/ "t") ![](<https://e.example/a b>)',
      '[image removed: e.example] [image removed: e.example]',
    ],
    [
      'one without a scheme, or with another',
      '![](//e.example/a) ![](file://e.example/x)',
      '[image removed: e.example] [image removed: e.example]',
    ],
    [
      'one behind an allowed host',
      '![](https://img.desk.example@e.example/) ![](https://img.desk.example.e.example/)',
      '[image removed: e.example] [image removed: img.desk.example.e.example]',
    ],
    [
      'references',
      '![x][one] ![two]\n\n[one]: https://e.example/?q\n[TWO]: <//e.example>',
      '[image removed: e.example] [image removed: e.example]\n\n[one]: https://e.example/?q\n[TWO]: <//e.example>',
    ],
    [
      'HTML images',
      '<img src="https://e.example/?q=1"> <IMG/SRC=//e.example>',
      '[image removed: e.example] [image removed: an unknown address]',
    ],
    [
      'elements that load or run',
      '<iframe src=x> <style>a{}</style> <b style="background:url(//e)">x</b> <b title=">" onx=1>',
      '[element removed: iframe] [element removed: style]a{}</style> [element removed: b]x</b> [element removed: b]" onx=1>',
    ],
    ['an element that does not end', 'a <img src=x', 'a <¦img src=x'],
    [
      'long links',
      `[a](https://e.example/x?${data}) www.e.example/${data}.`,
      `[a](https://e.example/[link cut: ${data.length + 2} characters]) www.e.example/[link cut: ${data.length} characters].`,
    ],
    [
      'links that run code',
      '[a](javascript:x) [b][c] <data:text/html,x> <a href="java&#9;script:x">d</a>\n\n[c]: vbscript:x',
      '[a]¦(javascript:x) [b][c] <¦data:text/html,x> <a href¦="java&#9;script:x">d</a>\n\n[c]¦: vbscript:x',
    ],
    [
      'links that hide it',
      '[a](<java\tscript:x>) [b](javascript\\:x) [c](&#1;&#106;avascript&colon;x) ![d](data:image/svg+xml,<svg/>)',
      '[a]¦(<¦java\tscript:x>) [b]¦(javascript\\:x) [c]¦(&#1;&#106;avascript&colon;x) !¦[d]¦(data:image/svg+xml,<svg/>)',
    ],
    ['an image of another host behind a tab', '![a](</\t/e.example/?q=secret>)', '[image removed: e.example]'],
  ])('%s', (_what, text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  it.each([
    ['nested brackets', '![a [b] c](https://e.example/)'],
    ['brackets in code', '![a `]` b](https://e.example/)'],
    ['escaped backticks', '\\`![a](https://e.example/)\\`'],
    ['code across list items', '- `a\n- ![](https://e.example/)\n- b`'],
    ['a fence that ends with its list', '1. x\n   ```\n![](https://e.example/)\n   ```'],
    ['a fence in HTML', '<div>\n```\n![](https://e.example/)\n```'],
    ['a cell of a table', '| `a | ![](https://e.example/) | b` |'],
    ['entities and backslashes', '![](https&#58;//e.example/) ![](https:\\/\\/e.example)'],
    ['an address on the next line', '![a](\nhttps://e.example/\n)'],
    ['a definition in a list', '![a]\n\n- [a]: https://e.example/'],
    ['a definition of a label in other letters', '![ẞ]\n\n[ss]: https://e.example/'],
  ])('includes every image, however it is written: %s', (_what, text) => {
    const left = clean(text);
    expect(left).not.toMatch(/!\[/);
    expect(left).not.toBe(text);
  });

  it('stays readable where it looks like code', () => {
    expect(clean('Use `![a](https://x.example/)` or `<img src="https://x.example">`')).toBe(
      'Use `!¦[a](https://x.example/)` or `<¦img src="https://x.example">`',
    );
  });

  it('includes thoughts, which do not count as spoken', () => {
    expect(sanitizeReply('<think>hm').spoken).toBe('');
    expect(sanitizeReply('<think>hm</think> NO_REPLY').spoken).toBe('NO_REPLY');
  });

  it('includes text that does not settle, which is withheld', () => {
    const nested = `${'!['.repeat(12)}![](//e.example)${'](//e.example)'.repeat(12)}`;
    const { text, report } = sanitizeReply(nested);
    expect(text).not.toMatch(/!\[/);
    expect(report.counts.images).toBeGreaterThan(0);
  });
});

it("a person's own words lose only control characters", () => {
  const text = '<think> ![a](https://x.example/) Human: \u200B';
  expect(sanitizeOwnWords(`${text}\0\u202E\x1b[31m`)).toMatchObject({ text, report: { settled: true } });
  expect(sanitize('a').report.rounds).toBe(1);
});
