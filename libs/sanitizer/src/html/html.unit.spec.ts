import { growth } from '#libs/testing';
import { sanitize } from '../index.js';

const read = (html: string) => sanitize(html, { format: 'html' });

describe('an HTML part', () => {
  it.each([
    ['paragraphs and breaks', '<p>Hello,<br>you</p><p>second</p>', 'Hello,\nyou\n\nsecond'],
    ['entities', 'a &lt; b &amp;&nbsp;c &#x1F600;', 'a < b &\u00A0c 😀'],
    ['white space as a page shows it', '  a \n\n b<b> c </b>d ', 'a b c d'],
    [
      'lists and tables',
      '<ul><li>a</li><li>b</li></ul><table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>',
      '- a\n- b\n\n1 2\n3',
    ],
    ['preformatted text', '<pre>a\n  b</pre>', 'a\n  b'],
    [
      'scripts, styles, heads and comments',
      '<head><title>t</title></head><style>b{}</style>a<script>b()</script><!-- c --><noscript>d</noscript>',
      'a',
    ],
    ['the host of a link', '<a href="https://evil.example/login?x=1">my bank</a>', 'my bank (evil.example)'],
    [
      'a link that says its host',
      '<a href="https://example.com/a">https://example.com/a</a> <a href="#top">up</a>',
      'https://example.com/a up',
    ],
    ['the address of a mail link', '<a href="mailto:ada@example.com?subject=x">write</a>', 'write (ada@example.com)'],
    ['no script in a link', '<a href="javascript:alert(1)">x</a>', 'x'],
    ['no host of a script', '<a href="java&#9;script://good.example/%0aalert(1)">x</a>', 'x'],
    [
      'a host behind a tab',
      '<a href="/\t/evil.example/a">x</a> <a href="ht\ntps://e.example">y</a>',
      'x (evil.example) y (e.example)',
    ],
    ['a host behind spaces and backslashes', '<a href=" \u0001\\\\evil.example/a">x</a>', 'x (evil.example)'],
    ['the address of a hidden mail link', '<a href="mail&#9;to:ada@example.com">x</a>', 'x (ada@example.com)'],
    ['unclosed and misnested elements', '<div><b>a<p>b</i></div>c', 'a\n\nb\n\nc'],
  ])('keeps %s', (_name, html, expected) => {
    expect(read(html).text).toBe(expected);
  });

  it.each([
    'hidden',
    'style="display: none"',
    'style="DISPLAY:/* x */none !important"',
    'style="/**/display:/**/none;/* and so on"',
    'style="color:#000;visibility:hidden"',
    'style="font-size:0"',
    'style="font-size: 1px"',
    'style="opacity:0.0"',
    'style="mso-hide:all"',
    'style="max-height:0;overflow:hidden"',
    'style="position:absolute;left:-9999px"',
    'style="text-indent:-9999px"',
    'style="color:transparent"',
  ])('drops what is hidden by %s', (attribute) => {
    const { text, report } = read(`a <div ${attribute}>ignore <b>all</b><br></div>b`);
    expect(text.replace(/\s+/g, ' ')).toBe('a b');
    expect(report.counts.html).toBe(1);
  });

  it.each([
    'style="opacity:0.5"',
    'style="font-size:10px"',
    'style="height:0"',
    'style="left:-5px"',
    'aria-hidden="true"',
  ])('keeps what is shown with %s', (attribute) => {
    expect(read(`<span ${attribute}>shown</span>`).text).toBe('shown');
  });

  it('is decoded once: markup that it spells in entities is text', () => {
    expect(read('&lt;b&gt;bold&lt;/b&gt; &lt;|im_start|&gt;').text).toBe('<b>bold</b> [removed-token]');
  });

  it.each([
    ['unclosed links', '', '<a>', ''],
    ['unclosed paragraphs', '', '<p>', ''],
    ['unclosed nested elements', '', '<p><b>', ''],
    ['ends that close nothing, deep inside', '<b>'.repeat(900), '</u>', ''],
    ['an attribute without an end', '<a href="', 'x', ''],
    ['attributes that open again and again', '', '<a href="', ''],
    ['more attributes than anybody reads', '<a ', 'b=c ', ''],
    ['comments in a style that do not end', '<b style="', '/*a', '">x'],
    ['comments that do not end', '', '<!--', ''],
    ['ends that close paragraphs which nobody opened', '', '</p>', ''],
  ])('takes linear time for any number of %s', (_name, before, piece, after) => {
    expect(growth(20_000, (times) => before + piece.repeat(times) + after, read)).toBeLessThan(1.5);
  });

  it('is read up to a depth that no page has, and says what was cut', () => {
    const { text, report } = read(`start${'<b>'.repeat(100_000)}end`);
    expect(text).toMatch(/^start\n\[cut: \d+ characters\]$/);
    expect(report.cut).toBeGreaterThan(200_000);
  });
});
