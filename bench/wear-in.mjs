const segments = 64;

/**
 * Makes a fresh Postgres one that has run for a while: it has log files to use again. Making a new one of 16 MB holds up
 * a commit for some 10 to 90 ms, and a fresh server makes one at every 8,000 receipts.
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
  await client.query('CHECKPOINT');
  const { rows } = await client.query('SELECT count(*) AS files FROM pg_ls_waldir()');
  await client.end();
  if (Number(rows[0].files) < segments / 2) throw new Error(`only ${rows[0].files} log files were kept`);
}
