/** As many as max_wal_size keeps. */
const segments = 128;

/**
 * Makes a fresh Postgres one that has run for a while. It has log files to use again: making a new one of 16 MB holds up
 * a commit for some 10 to 90 ms, and a fresh server makes one at every 8,000 receipts. And the memory of its buffers is its
 * own: the system gives a page at its first use, which costs a fresh server a quarter of its time until all are used.
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
