import pg from 'pg';

const withinMs = 5_000;

/** Opens a connection and closes it. @throws Error with the server's reason, or that none answers */
export async function logInToPostgres(url: string): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: withinMs,
    application_name: 'check',
  });
  // After a refusal the socket may fail once more, which is no news.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
  } finally {
    await client.end();
  }
}
