import { answers } from './testing/readings/answers.js';
import { channels } from './testing/readings/channels.js';
import { withoutAddresses, wordsOf } from './testing/readings/reading.js';

const visible = (texts: readonly string[]): string[] => texts.map((text) => text.replaceAll('\u200b', ''));

describe.each(channels)('$name shows what is meant', ({ send, read, isPlain, hasNoBackticks }) => {
  it.each(answers)('$name', ({ markdown, reads, bold, heading, struck, code, links = [] }) => {
    const reading = withoutAddresses(read(send(markdown)), links);
    expect(wordsOf(reading.text)).toBe(wordsOf(reads));
    for (const link of links) expect(reading.links).toContain(link);
    if (isPlain) return;
    if (bold) expect(visible(reading.bold).filter((text) => text !== heading)).toEqual(bold);
    if (struck) expect(visible(reading.struck)).toEqual(struck);
    const shownAsCode = (code ?? []).filter((one) => !hasNoBackticks || !one.includes('`'));
    expect(reading.code).toEqual(expect.arrayContaining(shownAsCode));
  });
});
