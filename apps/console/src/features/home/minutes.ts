import type { Schema } from '../../api/named-schema.js';
import { homeTexts } from '../../texts/home.js';

type Counts = Schema<'CountsView'>;
type Statistics = Schema<'MessageStatisticsView'>;
type Group = keyof typeof homeTexts.health.groups;

/**
 * The groups that people tell apart at a glance. Every outcome is in one of them, except those of requests that Verify
 * sent.
 */
export const outcomeGroups: readonly { name: Group; color: string; outcomes: readonly string[] }[] = [
  { name: 'routed', color: 'teal.6', outcomes: ['routed'] },
  {
    name: 'nowhere',
    color: 'gray.5',
    outcomes: ['no_match', 'ignored', 'duplicate', 'dropped_bot', 'dropped_echo', 'challenge'],
  },
  {
    name: 'kept',
    color: 'yellow.6',
    outcomes: ['held_unknown_sender', 'parked', 'blocked_contact', 'loop_paused'],
  },
  { name: 'failed', color: 'red.6', outcomes: ['dead', 'refused'] },
];

const countOf = (counts: Counts, outcomes: readonly string[]): number =>
  counts.outcomes.reduce((sum, { outcome, count }) => sum + (outcomes.includes(outcome) ? count : 0), 0);

const refusedOf = ({ refused }: Counts): number => refused.reduce((sum, { count }) => sum + count, 0);

/** A point for each minute. */
export function minutesOf({ series }: Statistics): { at: string; [group: string]: number | string }[] {
  return series.map((counts) => ({ at: counts.at, ...groupsOf(counts) }));
}

function groupsOf(counts: Counts): Record<string, number> {
  return Object.fromEntries(
    outcomeGroups.map(({ name, outcomes }) => [
      name,
      countOf(counts, outcomes) + (name === 'failed' ? refusedOf(counts) : 0),
    ]),
  );
}

/** The chart in words. */
export function summaryOf({ total }: Statistics): string {
  const groups = groupsOf(total);
  const parts = outcomeGroups.map(({ name }) => `${homeTexts.health.groups[name]} ${groups[name]}`);
  return `${homeTexts.health.chart}, ${homeTexts.health.lastHour}: ${parts.join(', ')}.`;
}
