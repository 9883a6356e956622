/** Where to migrate. @throws Error when it is not set */
export function databaseUrl(): string {
  const url = process.env['DATABASE_URL'];
  if (!url) throw new Error('DATABASE_URL is not set: give the Postgres URL to migrate.');
  return url;
}
