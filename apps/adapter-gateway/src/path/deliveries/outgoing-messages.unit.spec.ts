import fc from 'fast-check';
import type { FormattedText } from './delivery.repository.js';
import { cutToParts, splitMessage } from './outgoing-messages.js';

const plain = (text: string): Promise<FormattedText> => Promise.resolve({ text, format: 'plain' });
/** A rendering that is longer than its source. */
const marked = (text: string): Promise<FormattedText> => plain(text.replaceAll('a', '<b>a</b>'));

describe('splitting a message', () => {
  it('cuts at lines, and keeps every word in order', async () => {
    const text = Array.from({ length: 30 }, (_, line) => `line ${line} says something`).join('\n');
    const { parts, cutChars } = await splitMessage(text, { maxLength: 100, maxParts: 20 }, plain);
    expect(parts.map((part) => part.text).join('\n')).toBe(text);
    expect(cutChars).toBe(0);
  });

  it('says in the last part how much is missing', async () => {
    const text = 'word '.repeat(200).trim();
    const { parts, cutChars } = await splitMessage(text, { maxLength: 100, maxParts: 3 }, plain);
    expect(parts).toHaveLength(3);
    expect(parts[2]?.text).toMatch(/^word [^]*\n\n\[cut: \d+ characters are missing\]$/);
    expect(parts[2]?.text).toContain(`[cut: ${cutChars} characters are missing]`);
  });

  it('gives parts within the limits, whatever the text and its rendering, and the same parts every time', async () => {
    const limits = fc.record({
      maxLength: fc.integer({ min: 20, max: 200 }),
      maxParts: fc.integer({ min: 1, max: 5 }),
    });
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '\n\n', '```\n', '😀'), maxLength: 800 });
    await fc.assert(
      fc.asyncProperty(text, limits, async (input, asked) => {
        const split = await splitMessage(input, asked, marked);
        expect(split.parts.length).toBeLessThanOrEqual(asked.maxParts);
        for (const part of split.parts) expect(part.text.length).toBeLessThanOrEqual(asked.maxLength);
        expect(await splitMessage(input, asked, marked)).toEqual(split);
      }),
    );
  });

  it('cuts a text for an adapter that splits by itself', async () => {
    const partsOf = (text: string): Promise<number> => Promise.resolve(Math.ceil(text.length / 100));
    const { text, cutChars } = await cutToParts('word '.repeat(500), 25, 4, partsOf);
    expect(await partsOf(text)).toBeLessThanOrEqual(4);
    expect(text).toContain(`[cut: ${cutChars} characters are missing]`);
  });
});
