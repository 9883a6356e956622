/** Where the run's Postgres and Redis are; set by the global set-up of the tests. */
function given(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run the tests with npm test`);
  return value;
}

export const testDatabaseUrl = (): string => given('GATEHOUSE_TEST_DATABASE_URL');
export const testRedisUrl = (): string => given('GATEHOUSE_TEST_REDIS_URL');
