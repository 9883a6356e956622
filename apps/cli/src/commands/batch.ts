import { setTimeout as pause } from 'node:timers/promises';
import type { Api } from '../api/api.js';
import { exits } from '../api/cli-error.js';
import type { Call } from '../call/command.js';

export interface Batch {
  id: string;
  kind: 'replay' | 'redrive';
  state: 'running' | 'finished';
  total: number;
  done: number;
  failed: number;
  cancelled: number;
  failures: { id: string; error: string }[];
  became: { outcome: string; count: number }[];
  more?: boolean;
}

const everyMs = 500;
/** Letters end by themselves after that too: `gatehouse dead-letters show` says how. */
const outcomesWithinMs = 60_000;

/** Waits until a batch has finished, and until it is known what became of its letters; reports both. */
export async function followBatch(call: Call, api: Api, begun: Batch): Promise<number> {
  call.note(`Batch ${begun.id}: ${begun.total} items${begun.more ? ' (there are more than one batch takes)' : ''}.`);
  const read = (): Promise<Batch> => api.get<Batch>(`events/batches/${begun.id}`);
  let batch = begun;
  while (batch.state === 'running') {
    await pause(everyMs);
    batch = await read();
  }
  batch = await ended(batch, read, ({ became }) => became.some(({ outcome }) => outcome === 'redriving'));
  call.print({ ...batch, more: begun.more });
  for (const { id, error } of batch.failures) call.say(`${id}  ${error}`);
  const { done, failed, cancelled, became } = batch;
  const what = batch.kind === 'redrive' ? 'redriven' : 'done';
  const ends = became.map(({ outcome, count }) => `${count} ${redriveWords(outcome)}`).join(', ');
  call.say(`${done} ${what}${ends && ` (${ends})`}, ${failed} failed, ${cancelled} cancelled.`);
  return failed > 0 || became.some(({ outcome }) => isBad(outcome)) ? exits.unwell : exits.done;
}

/** Waits for what was redriven, at most a minute. @returns how it is then */
export async function ended<T>(begun: T, read: () => Promise<T>, isOpen: (now: T) => boolean): Promise<T> {
  const until = Date.now() + outcomesWithinMs;
  let now = begun;
  while (isOpen(now) && Date.now() < until) {
    await pause(everyMs);
    now = await read();
  }
  return now;
}

/** What became of a letter, for people. @param outcome of its redrive, or the letter's state */
export function redriveWords(outcome: string): string {
  return words[outcome] ?? outcome;
}

/** Whether a person has to look at it again. */
export const isBad = (outcome: string): boolean => ['dead', 'failed', 'unknown', 'expired', 'lost'].includes(outcome);

const words: Record<string, string> = {
  redriving: 'still on the way',
  dead: 'dead again, as a new dead letter',
  unknown: 'unknown whether it arrived',
  expired: 'too late to be sent',
  lost: 'lost, because what it needs is no longer kept',
};
