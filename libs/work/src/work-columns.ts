const columns = {
  state: "text NOT NULL DEFAULT 'queued'",
  claim: 'integer NOT NULL DEFAULT 0',
  owner: 'text',
  lease_until: 'timestamptz',
  due_at: 'timestamptz NOT NULL DEFAULT now()',
  tries: 'integer NOT NULL DEFAULT 0',
  blocked_since: 'timestamptz',
  reason: 'text',
  ended_at: 'timestamptz',
};

/** Came later: `addWorkColumns` has run without them. */
const suspectColumns = { deaths: 'integer NOT NULL DEFAULT 0', on_trial: 'boolean NOT NULL DEFAULT false' };

type WorkColumn = keyof typeof columns;
/** What a table called some of the columns before. */
export type Renamed = Partial<Record<WorkColumn, string>>;

const all = Object.entries(columns) as [WorkColumn, string][];

/** For the CREATE TABLE of a new table of work. */
export const workColumns = [...all, ...Object.entries(suspectColumns)].map((column) => column.join(' ')).join(', ');

/** Gives an existing table of work what tells suspects. Done twice, it changes nothing. */
export function addSuspectColumns(table: string): string {
  const added = Object.entries(suspectColumns).map((column) => `ADD COLUMN IF NOT EXISTS ${column.join(' ')}`);
  return `ALTER TABLE ${table} ${added.join(', ')}`;
}

/** Reverts `addSuspectColumns`. */
export function dropSuspectColumns(table: string): string {
  const dropped = Object.keys(suspectColumns).map((column) => `DROP COLUMN IF EXISTS ${column}`);
  return `ALTER TABLE ${table} ${dropped.join(', ')}`;
}

/** Of the index of suspects: they are rare, and looked for often. */
export const openSuspect = 'deaths > 0 AND ended_at IS NULL';

/** Gives an existing table the columns. Like what it is called by, it never changes: migrations have run with it. */
export function addWorkColumns(table: string, renamed: Renamed): string[] {
  return all.flatMap(([column, type]) => {
    const before = renamed[column];
    if (before === undefined) return [`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`];
    const value = / DEFAULT (.+)$/.exec(type)?.[1];
    return [
      ...(before === column ? [] : [`ALTER TABLE ${table} RENAME COLUMN ${before} TO ${column}`]),
      `ALTER TABLE ${table} ALTER COLUMN ${column} ${value === undefined ? 'DROP NOT NULL' : `SET DEFAULT ${value}`}`,
    ];
  });
}

/** Reverts `addWorkColumns`. */
export function dropWorkColumns(table: string, renamed: Renamed): string[] {
  return all.flatMap(([column]) => {
    const before = renamed[column];
    if (before === undefined) return [`ALTER TABLE ${table} DROP COLUMN ${column}`];
    return before === column ? [] : [`ALTER TABLE ${table} RENAME COLUMN ${column} TO ${before}`];
  });
}
