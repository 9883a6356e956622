/** As many as max_wal_size allows. */
const segments = 128;

/**
 * Brings a fresh Postgres into the state of one that has run for a while. It has WAL files to reuse: creating a new one
 * of 16 MB delays a commit by some 10 to 90 ms, and a fresh server creates one every 8,000 receipts. And its buffers
 * are mapped: the system maps a page at its first use, which costs a fresh server a quarter of its time until all are
 * used.
 * @param {string} databaseUrl
 */
export async function wearIn(databaseUrl) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  for (let made = 0; made < segments; made += 1) {
    await client.query("SELECT pg_logical_emit_message(false, 'worn', 'in')");
    await client.query('SELECT pg_switch_wal()');
  }
  await client.query('CREATE UNLOGGED TABLE worn (filler text)');
  await client.query('ALTER TABLE worn ALTER filler SET STORAGE PLAIN');
  await client.query(
    `INSERT INTO worn SELECT repeat('x', 7000)
       FROM generate_series(1, (SELECT setting::int FROM pg_settings WHERE name = 'shared_buffers'))`,
  );
  await client.query('DROP TABLE worn');
  await client.query('CHECKPOINT');
  const { rows } = await client.query('SELECT count(*) AS files FROM pg_ls_waldir()');
  await client.end();
  if (Number(rows[0].files) < segments / 2) throw new Error(`only ${rows[0].files} log files were kept`);
}
