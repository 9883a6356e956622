import fc from 'fast-check';
import { firstPart, splitText } from './split-text.js';

const words = fc.array(fc.constantFrom('a', 'word', 'longer-word', '👩‍👩‍👧', ' ', '\n', '\n\n', 'é', '**'), {
  maxLength: 300,
});

describe('splitText', () => {
  it('prefers a cut at a blank line over a line and a line over a space, and drops only what it cut at', () => {
    expect(splitText('one two\n\nthree four\nfive', 14)).toEqual(['one two', 'three four', 'five']);
    expect(splitText('one two three', 8)).toEqual(['one two', 'three']);
    expect(splitText('abcdefgh', 3)).toEqual(['abc', 'def', 'gh']);
    expect(splitText('', 5)).toEqual([]);
    expect(splitText('exact', 5)).toEqual(['exact']);
  });

  it('closes a code fence at a cut and reopens it with its language', () => {
    const code = Array.from({ length: 12 }, (_, line) => `line ${line}`).join('\n');
    const parts = splitText(`Look:\n\n\`\`\`js\n${code}\n\`\`\`\nDone.`, 50);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(50);
      expect((part.match(/^```/gm) ?? []).length % 2).toBe(0);
    }
    expect(parts[1]).toMatch(/^```js\n/);
    const joined = parts.join('\n').replaceAll(/^```(js)?\n?/gm, '');
    for (let line = 0; line < 12; line++) expect(joined).toContain(`line ${line}`);
  });

  it('keeps an emoji family whole', () => {
    const family = '👩‍👩‍👧‍👦';
    const parts = splitText(family.repeat(10), family.length * 2 + 3);
    expect(parts.join('')).toBe(family.repeat(10));
    for (const part of parts) expect(part.length % family.length).toBe(0);
  });

  it('makes parts of even size, where that needs neither more of them nor worse cuts', () => {
    const words = 'word '.repeat(21).trim();
    expect(splitText(words, 100).map(({ length }) => length)).toEqual([54, 49]);
    expect(splitText(`${'a'.repeat(90)}\n\n${'b'.repeat(20)}`, 100).map(({ length }) => length)).toEqual([90, 20]);
    expect(firstPart(words, 100)).toHaveLength(99);
  });

  it('cuts within no link, address, code or short emphasis that fits into a part', () => {
    for (const whole of [
      '[two words](https://e.example/a)',
      '![two words](https://e.example/a)',
      '`a b c d e`',
      '``a ` b``',
      '**two words**',
      '~~two words~~',
      '<strong>two words</strong>',
      'https://e.example/aaaaaaaaaaaaaaaaaaaaaaa',
      '```js\na b\n\nc d\n```',
    ]) {
      const text = `some words \n${whole}\n ${'more '.repeat(8)}`;
      for (let limit = whole.length; limit < text.length; limit += 1) {
        expect(splitText(text, limit).filter((part) => part.includes(whole))).toHaveLength(1);
      }
    }
  });

  it('replaces half of a pair, which no provider takes', () => {
    expect(splitText('a\ud83d b \ude00', 100)).toEqual(['a\ufffd b \ufffd']);
  });

  it('keeps every part within the limit, loses no visible character, and is deterministic', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 80 }), (pieces, limit) => {
        const text = pieces.join('');
        const parts = splitText(text, limit);
        expect(parts.every((part) => part.length <= limit)).toBe(true);
        expect(parts.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
        expect(splitText(text, limit)).toEqual(parts);
      }),
      { numRuns: 300 },
    );
  });

  it('stays within the limit and terminates for any mixture of fences', () => {
    const lines = fc.array(fc.constantFrom('```', '```js', '~~~', '````', 'x', 'some code here', ''), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 60 }), (content, limit) => {
        for (const part of splitText(content.join('\n'), limit)) expect(part.length).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 300 },
    );
  });
});
