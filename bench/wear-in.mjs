/**
 * Makes a fresh Postgres one that has run for a while: it has log files to use again. Making a new one of 16 MB holds up
 * a commit for some 10 ms, and a fresh server makes one at every 8,000 receipts.
 * @param {string} databaseUrl
 */
export async function wearIn(databaseUrl) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  for (let times = 0; times < 2; times += 1) {
    await client.query("CREATE TABLE worn AS SELECT repeat('x', 1000) FROM generate_series(1, 900000)");
    await client.query('DROP TABLE worn');
    await client.query('CHECKPOINT');
  }
  await client.end();
}
