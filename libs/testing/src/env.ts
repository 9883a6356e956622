/** Where the run's Postgres and Redis are; set by the tests' global setup. */
function given(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run the tests with npm test`);
  return value;
}

export const testDatabaseUrl = (): string => given('GATEHOUSE_TEST_DATABASE_URL');

/** A database of the run's Redis per test process, empty at the start of each test file: jobs reach only their test. */
export function testRedisUrl(): string {
  const url = new URL(given('GATEHOUSE_TEST_REDIS_URL'));
  url.pathname = `/${Number(process.env['JEST_WORKER_ID'] ?? 1) - 1}`;
  return url.href;
}
