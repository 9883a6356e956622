import { CliError, exits } from '../api/cli-error.js';
import { facts, table } from '../call/table.js';

/** A build of which processes run; more than one while an installation is updated. */
export interface Build {
  build: string;
  services: string[];
}

/** How far a project has moved, as each of the two installations says it. */
export interface Move {
  project_id: string;
  organization_id: string;
  organization_name: string | null;
  state: 'here' | 'leaving' | 'aborting' | 'left' | 'ending' | 'arriving';
  closed: boolean;
  peer: string | null;
  held_at: string | null;
  held_by: string | null;
  shapes: Record<string, string>;
  builds: Build[];
  settled: boolean;
  hand_on_key: object | null;
  handing_on: {
    waiting: number;
    oldest_at: string | null;
    last_received_at: string | null;
    refused_at: string | null;
    ended_at: string | null;
  } | null;
  tables: { service: string; table: string; rows: number; ages: boolean; grows: boolean; last: string | null }[];
  open: { service: string; what: string; count: number }[];
  stays: { table: string; why: string }[];
}

/**
 * @param before of here, when nothing was copied yet: of what grows meanwhile, so many have to be there
 * @throws CliError where a table has not as many rows there as here; of rows that end by age there may be more
 */
export function compareRows(before: Move, here: Move, there: Move): void {
  const [counted, arrived] = [before, there].map(
    ({ tables }) => new Map(tables.map(({ table: name, rows }) => [name, rows])),
  );
  const wrong = here.tables.flatMap(({ table: name, rows, ages, grows }) => {
    const [is, least] = [arrived?.get(name) ?? 0, grows ? Math.min(rows, counted?.get(name) ?? 0) : rows];
    return is < least || (is > rows && !ages && !grows) ? [{ name, rows: least, is }] : [];
  });
  if (wrong.length === 0) return;
  const what = wrong.map(({ name, rows, is }) => `${name} has ${rows} here and ${is} there`).join(', ');
  const toDo = wrong.some(({ rows, is }) => is > rows)
    ? 'What is more there was deleted here since, by retention: gatehouse move abort deletes what has arrived; then move again.'
    : 'Start the move again: what is missing is copied. Nothing has been switched.';
  throw new CliError(exits.unwell, `${what}.`, 'gatehouse move', toDo, 'rows_differ');
}

/** Whether the other side works on it, for good. */
export const hasLeft = ({ state }: Move): boolean => state === 'left' || state === 'ending';

export const rowsOf = ({ tables }: Move): number => tables.reduce((sum, { rows }) => sum + rows, 0);

export function describeMove(found: Move): string[] {
  const about = facts([
    ['Project', found.project_id],
    ['State', found.state],
    ['Since', found.held_at],
    ['By', found.held_by],
    ['Other side', found.peer],
    ['Webhooks to hand on', found.handing_on && String(found.handing_on.waiting)],
    ['Last webhook here', found.handing_on && (found.handing_on.last_received_at ?? 'none')],
    ['Webhooks refused since', found.handing_on?.refused_at ?? null],
    ['Handing on ended', found.handing_on?.ended_at ?? null],
    ['Rows', String(rowsOf(found))],
  ]);
  const tables = found.tables.filter(({ rows }) => rows > 0).map(({ table: name, rows }) => [name, String(rows)]);
  const open = found.open.map(({ what, count }) => [what, String(count)]);
  return [
    ...about,
    ...table(['TABLE', 'ROWS'], tables),
    ...(open.length > 0 ? table(['HAS TO END', 'COUNT'], open) : ['Nothing has to end: it is at rest.']),
  ];
}
