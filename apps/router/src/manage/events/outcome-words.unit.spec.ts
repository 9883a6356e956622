import { type Exchange, noteInbound, resume } from '../../path/guards/loop-breaker.js';
import { wordsOfOutcome } from './outcome-words.js';

const limits = {
  LOOP_ROUNDS_PER_MINUTE: 20,
  LOOP_SAME_TEXTS: 8,
  LOOP_EVEN_ROUNDS: 20,
  LOOP_COOLDOWN_MS: 600_000,
};

/** @param gapMs from a reply to the next message @param replyMs the agent's least time @returns why it was paused */
function pausedBy(textOf: (n: number) => string, gapMs: number, replyMs = 1_000): string | null {
  const exchange = {} as Exchange;
  resume(exchange);
  for (let n = 0, now = 1_000_000; n < 100; n += 1) {
    const reason = noteInbound(exchange, textOf(n), now, limits);
    if (reason !== null) return reason;
    // The agent takes a time of its own for each reply.
    now += replyMs * (1 + ((n * 7_919) % 13));
    exchange.repliedAt = [...exchange.repliedAt, now].slice(-64);
    now += gapMs;
  }
  return null;
}

describe('the words of an outcome', () => {
  it.each<[string, string | null, string]>([
    ['one text', pausedBy(() => 'Is it done?', 5_000), 'LOOP_SAME_TEXTS'],
    ['one pace', pausedBy((n) => `word${String.fromCodePoint(97 + (n % 26))}`, 30_000, 10_000), 'LOOP_EVEN_ROUNDS'],
    ['many rounds', pausedBy((n) => `word ${n}`, 500, 10), 'LOOP_ROUNDS_PER_MINUTE'],
  ])('name what paused an exchange of %s, and the limit', (_what, reason, setting) => {
    expect(reason).not.toBeNull();
    expect(wordsOfOutcome('loop_paused', reason)).toContain(setting);
  });
});
