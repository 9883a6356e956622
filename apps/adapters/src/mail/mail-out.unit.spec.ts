import { formatMessage } from '../generic/format-message.js';
import { mailPart } from './mail-part.js';

/** What is sent for a Markdown text, after `/format` as the platform calls it. */
function sent(text: string) {
  const [formatted = ''] = formatMessage({ text, mode: 'rich' }, 10_000).parts;
  const call = { channel_address: 'jane@example.org', message: { text: formatted, format: 'markdown' as const } };
  return mailPart(call, { text: formatted, index: 0, count: 1, key: 'k', threadId: undefined }, 'example.com');
}

describe('a mail', () => {
  it('gives each block the direction of its own first letter', () => {
    const { html = '' } = sent(
      'مرحبا\n\n# שלום\n\n- مرحبا\n  1. nested\n\n> اقتباس\n\n| א | b |\n|---|---|\n| ג | d |',
    );
    expect(html).toContain('<p dir="auto">مرحبا</p>');
    expect(html).toContain('<h1 dir="auto">שלום</h1>');
    for (const tag of ['ul', 'ol', 'li', 'blockquote', 'table', 'th', 'td']) {
      const opened = html.match(new RegExp(`<${tag}(?=[ >])[^>]*>`, 'g')) ?? [];
      expect(opened).not.toEqual([]);
      expect(opened).toEqual(opened.map(() => `<${tag} dir="auto">`));
    }
  });

  it('has its code from left to right, and no invisible character in it', () => {
    const { html, text } = sent('Run `mail @all` or:\n\n    notify @here\n\n```\n@channel\n```\n\n> `@everyone`');
    expect(html).toContain('<code dir="ltr">mail @all</code>');
    expect(html).toContain('<pre dir="ltr"><code>notify @here</code></pre>');
    expect(html).not.toContain('\u200b');
    expect(text).toBe('Run mail @all or:\n\nnotify @here\n\n@channel\n\n@everyone');
  });

  it.each([
    [
      'write to jane@example.org',
      'write to jane@example.org',
      '<a href="mailto:jane@example.org">jane@example.org</a>',
    ],
    ['[Jane](mailto:jane@example.org)', 'Jane (jane@example.org)', '<a href="mailto:jane@example.org">Jane</a>'],
    ['[](mailto:j%2Bx@example.org)', 'j+x@example.org', '<a href="mailto:j%2Bx@example.org">j+x@example.org</a>'],
    [
      '[a@example.org](mailto:a@example.org?subject=Hi)',
      'a@example.org',
      '<a href="mailto:a@example.org?subject=Hi">a@example.org</a>',
    ],
  ])('shows the mail address of %s as one', (markdown, text, html) => {
    expect(sent(markdown).text).toBe(text);
    expect(sent(markdown).html).toContain(html);
  });
});
