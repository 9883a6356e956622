import { latencyOf, type Measure } from '#libs/journal';
import type { CountsView } from './statistics.dto.js';

interface Count {
  measure: Measure;
  label: string;
  count: number;
}

/** What was counted, as people read it. */
export function countsView(counts: Count[]): Pick<CountsView, keyof CountsView> {
  const of = (measure: Measure): Count[] => counts.filter((one) => one.measure === measure);
  const labels = (measure: Measure): { label: string; count: number }[] =>
    summed(of(measure)).map(([label, count]) => ({ label, count }));
  const latency = (measure: Measure): CountsView['ack'] =>
    latencyOf(new Map(summed(of(measure)).map(([label, count]) => [Number(label), count])));
  const ack = latency('ack_ms');
  return {
    received: ack.count + of('unanswered').reduce((sum, { count }) => sum + count, 0),
    outcomes: labels('outcome').map(({ label, count }) => ({ outcome: label, count })),
    refused: labels('refused'),
    turns: labels('turn'),
    deliveries: labels('delivery'),
    ack,
    turn: latency('turn_ms'),
    delivery: latency('delivery_ms'),
    reply: latency('reply_ms'),
  };
}

function summed(counts: Count[]): [string, number][] {
  const sums = new Map<string, number>();
  for (const { label, count } of counts) sums.set(label, (sums.get(label) ?? 0) + count);
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
