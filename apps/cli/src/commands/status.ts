import { exits } from '../api/cli-error.js';
import type { Command } from '../call/command.js';
import { table } from '../call/table.js';

export interface Attention {
  data: { code: string; severity: 'error' | 'warning'; text: string; what_to_do: string }[];
}
export interface Queues {
  data: { queue: string; service: string; waiting: number; active: number; delayed: number; oldest_ms: number }[];
  silent: string[];
}
interface Latency {
  count: number;
  p50_ms: number | null;
  p99_ms: number | null;
}
interface Statistics {
  total: { received: number; outcomes: { outcome: string; count: number }[]; ack: Latency; reply: Latency };
}

export const status: Command = {
  name: 'status',
  summary: 'Shows the messages of the last hour, the jobs that wait in queues, and what needs attention',
  scopes: '`events:read`; what needs attention is limited to what the key may read',
  notes: ['Exit code 1: something does not work.'],
  examples: ['gatehouse status', "gatehouse status --json | jq '.attention[].text'"],
  run: async ({ api: open, say, print }) => {
    const api = open();
    const [attention, queues, statistics] = await Promise.all([
      api.get<Attention>('attention'),
      api.get<Queues>('queues'),
      api.get<Statistics>('statistics/messages'),
    ]);
    const { total } = statistics;
    print({ attention: attention.data, queues: queues.data, silent: queues.silent, last_hour: total });
    const ended = total.outcomes.map(({ outcome, count }) => `${outcome} ${count}`).join(', ') || 'none';
    say(`Gatehouse at ${api.origin}`);
    say(
      `Last hour: ${total.received} received; ended: ${ended}; acknowledged in ${took(total.ack)}, answered in ${took(total.reply)}.`,
    );
    say('');
    const rows = queues.data.map((one) => [
      one.queue,
      one.service,
      one.waiting,
      one.active,
      one.delayed,
      seconds(one.oldest_ms),
    ]);
    for (const line of table(['QUEUE', 'SERVICE', 'WAITING', 'ACTIVE', 'DELAYED', 'OLDEST'], rows)) say(line);
    for (const silent of queues.silent) say(`${silent} does not answer.`);
    say('');
    if (attention.data.length === 0) say('Nothing needs attention.');
    for (const item of attention.data) {
      say(`${item.severity.toUpperCase().padEnd(7)}  ${item.text}`);
      say(`         ${item.what_to_do}`);
    }
    return attention.data.some(({ severity }) => severity === 'error') ? exits.unwell : exits.done;
  },
};

const took = ({ p50_ms: p50, p99_ms: p99 }: Latency): string => (p50 === null ? '-' : `${p50} ms (p99 ${p99} ms)`);
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
