/** Rows that one event leaves, and the columns with its time. What ends an event comes before what begins it. */
const tables = {
  'journal.entry': ['at'],
  'gateway.delivery': ['created_at', 'open_since', 'ended_at', 'due_at'],
  'engine.turn': ['created_at', 'ended_at', 'due_at'],
  'router.message': ['created_at', 'routed_at'],
  'ingress.receipt': ['received_at'],
};

/** Small documents that name other rows. Messages and inputs name none that a list follows. */
const naming = new Set(['turns', 'detail']);
const hours = 24;
/** One event in so many has a dead letter. */
const deadEach = 100;

/**
 * Copies the rows of all events, spread over the last day, and leaves open dead letters and the counts of that day.
 * The services must be stopped: their sweeps would take the copies of a table for work while the next one is copied.
 * @param {import('pg').Client} db
 * @param {number} copies of each event, its own rows included
 */
export async function copyEvents(db, copies) {
  // One time for all tables, since ids are made of it.
  const until = new Date();
  for (const [name, times] of Object.entries(tables)) await copyRows(db, name, times, copies, until);
  await db.query(
    `INSERT INTO journal.dead_letter (id, at, organization_id, project_id, app_id, receipt_id, stage, reason, error, state)
     SELECT 'dl_' || substr(id, 5), received_at, organization_id, project_id, app_id, id, 'inbound.parse', 'adapter_error',
            'The adapter answered 500.', 'open'
       FROM (SELECT *, row_number() OVER (ORDER BY id) AS n FROM ingress.receipt) r WHERE n % $1 = 0`,
    [deadEach],
  );
  // The counts of what was copied are made by the service that makes them, an hour at a time.
  await db.query('TRUNCATE journal.statistic');
  await db.query('UPDATE journal.statistic_mark SET counted_to = now() - make_interval(hours => $1)', [hours]);
  for (const name of [...Object.keys(tables), 'journal.dead_letter']) await db.query(`VACUUM (ANALYZE) ${name}`);
}

/**
 * Copies each row of a table in one statement: ids differ in the digits of their time.
 * @param {import('pg').Client} db
 * @param {string} name
 * @param {string[]} times
 * @param {number} copies
 * @param {Date} until the time of the last copy
 */
async function copyRows(db, name, times, copies, until) {
  const { rows: columns } = await db.query(
    `SELECT column_name AS name, data_type AS type FROM information_schema.columns
      WHERE table_schema || '.' || table_name = $1 AND is_generated = 'NEVER'`,
    [name],
  );
  const values = columns.map(({ name: column, type }) => {
    if (times.includes(column)) return `CASE WHEN t.${column} IS NULL THEN NULL ELSE copy.at END`;
    if (naming.has(column) && type === 'jsonb')
      return `regexp_replace(t.${column}::text, '"(evt|msg|trn|dlv)_[0-9a-f]{12}', '"\\1_' || copy.digits, 'g')::jsonb`;
    if (type !== 'text' || (column !== 'id' && !column.endsWith('_id'))) return `t.${column}`;
    return `CASE WHEN t.${column} ~ '^(evt|msg|trn|dlv)_' THEN overlay(t.${column} PLACING copy.digits FROM 5) ELSE t.${column} END`;
  });
  await db.query(
    `WITH copy AS MATERIALIZED (
       SELECT at, lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') AS digits
         FROM (SELECT $3::timestamptz - make_interval(secs => $1::double precision * n / ($2 + 1)) AS at
                 FROM generate_series(1, $2::integer - 1) AS n) times)
     INSERT INTO ${name} (${columns.map((column) => column.name).join(', ')})
     SELECT ${values.join(', ')} FROM copy CROSS JOIN ${name} t`,
    [hours * 3_600, copies, until],
  );
}
