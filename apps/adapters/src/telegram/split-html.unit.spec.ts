import { splitHtml } from './split-html.js';

const entitiesIn = (html: string): number => html.match(/<(?:b|i|s|a|pre|blockquote|code)(?=[ >])/g)?.length ?? 0;
const wordsOf = (html: string): string => html.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, '');

describe('splitting for Telegram', () => {
  it('no part has more than the 100 entities that Telegram shows', () => {
    const html = Array.from({ length: 230 }, (_, index) => `<b>b${index}</b> <i>i${index}</i> word`).join(' ');
    const parts = splitHtml(html, 4_096);
    for (const part of parts) expect(entitiesIn(part)).toBeLessThanOrEqual(100);
    expect(parts).toHaveLength(5);
    expect(parts.map(wordsOf).join('')).toBe(wordsOf(html));
  });

  it('an entity that goes on in the next part counts there too', () => {
    const html = `<blockquote>${'<b>x</b> '.repeat(250)}</blockquote>`;
    const parts = splitHtml(html, 4_096);
    for (const part of parts) expect(entitiesIn(part)).toBeLessThanOrEqual(100);
    expect(parts.map(wordsOf).join('')).toBe('x'.repeat(250));
  });

  it('addresses that Telegram finds itself count', () => {
    const html = Array.from({ length: 150 }, (_, index) => `https://e.example/${index}`).join('\n');
    const sizes = splitHtml(html, 4_096).map((part) => part.split('\n').length);
    expect(sizes).toHaveLength(2);
    expect(Math.max(...sizes)).toBeLessThan(90);
  });

  it('a link and code stay whole, and so does what looks like one character', () => {
    const link = '<a href="https://e.example/">a link of several words</a>';
    expect(splitHtml(`${'word '.repeat(7)}${link} <code>a b c</code>`, 50)).toEqual([
      'word word word word word word word',
      `${link} <code>a b c</code>`,
    ]);
    const family = '👩‍👩‍👧‍👦';
    for (const part of splitHtml(family.repeat(9), 30)) expect(part.length % family.length).toBe(0);
  });

  it('the last part is no scrap', () => {
    const parts = splitHtml('word '.repeat(830).trim(), 4_096);
    expect(parts).toHaveLength(2);
    expect(Math.min(...parts.map(({ length }) => length))).toBeGreaterThan(1_900);
  });
});
