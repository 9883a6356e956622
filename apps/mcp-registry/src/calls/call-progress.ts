import type { Progress } from '@modelcontextprotocol/client';
import { plainText } from '../tools/plain-text.js';

const maxWords = 200;

/**
 * Says a server's progress in words, the first at once and then not more often than every so many ms: a server may send
 * any number of notifications.
 */
export function progressWords(say: (words: string) => void, everyMs: number): (progress: Progress) => void {
  let nextMs = 0;
  return (progress) => {
    const nowMs = performance.now();
    if (nowMs < nextMs) return;
    nextMs = nowMs + everyMs;
    say(wordsOf(progress));
  };
}

function wordsOf({ progress, total, message }: Progress): string {
  const amount = total === undefined ? shown(progress) : `${shown(progress)} of ${shown(total)}`;
  const words = plainText(message ?? '').slice(0, maxWords);
  return words === '' ? amount : `${words} (${amount})`;
}

const shown = (amount: number): string => String(Math.round(amount * 100) / 100);
