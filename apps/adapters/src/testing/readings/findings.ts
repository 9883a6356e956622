import type { Answer } from './answers.js';
import type { Channel } from './channel.js';
import { type Reading, withoutAddresses, wordsOf } from './reading.js';

export const ASPECTS = ['words', 'bold', 'struck', 'code', 'links'] as const;
export type Aspect = (typeof ASPECTS)[number];

/** What was meant, and what a reader of the channel has of it. */
export interface Finding {
  meant: unknown;
  shown: unknown;
}

/** What the channel's reader has of an answer; an aspect is absent where the answer or the channel has none of it. */
export function findingsOf({ send, read, ...channel }: Channel, answer: Answer): Partial<Record<Aspect, Finding>> {
  const { markdown, reads, heading, links = [], ...meant } = answer;
  const reading = withoutAddresses(read(send(markdown)), links);
  const words = { meant: wordsOf(reads), shown: wordsOf(reading.text) };
  const led = links.length > 0 && {
    links: { meant: links, shown: links.filter((link) => reading.links.includes(link)) },
  };
  return { words, ...led, ...(!channel.isPlain && marksOf(meant, heading, reading, channel.hasNoBackticks === true)) };
}

function marksOf(
  { bold, struck, code }: Pick<Answer, 'bold' | 'struck' | 'code'>,
  heading: string | undefined,
  reading: Reading,
  hasNoBackticks: boolean,
): Partial<Record<Aspect, Finding>> {
  const exact = (code ?? []).filter((one) => !hasNoBackticks || !one.includes('`'));
  return {
    ...(bold && { bold: { meant: bold, shown: visible(reading.bold).filter((text) => text !== heading) } }),
    ...(struck && { struck: { meant: struck, shown: visible(reading.struck) } }),
    ...(exact.length > 0 && { code: { meant: exact, shown: exact.filter((one) => reading.code.includes(one)) } }),
  };
}

function visible(texts: readonly string[]): string[] {
  return texts.map((text) => text.replaceAll('\u200b', ''));
}
