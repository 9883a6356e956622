import { testServiceKey } from './service-key.js';

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

/** Where nothing answers. */
const nowhere = 'http://127.0.0.1:9';
const key = Buffer.alloc(32, 7).toString('base64');

/** What services require besides their defaults: `readSettings` of any service takes it. */
export function testEnvironment(): NodeJS.ProcessEnv {
  const urls = ['INGRESS', 'GATEWAY', 'VAULT', 'ROUTER', 'ENGINE', 'MCP_REGISTRY', 'PYTHON_RUNNER'];
  return {
    ...Object.fromEntries(urls.map((service) => [`${service}_URL`, nowhere])),
    // The world of each test has its own.
    DATABASE_URL: 'postgres://127.0.0.1:9/none',
    REDIS_URL: testRedisUrl(),
    DATABASE_POOL: '8',
    QUEUE_CONCURRENCY: '4',
    HAND_OVER_CONCURRENCY: '4',
    SURPLUS_CONCURRENCY: '4',
    SURPLUS_DUTY_PERCENT: '100',
    GATEHOUSE_SERVICE_KEY: JSON.stringify(testServiceKey),
    GATEHOUSE_KEK_RING: JSON.stringify({ primary: 'k1', keys: { k1: key } }),
    GATEHOUSE_WEBHOOK_KEY: key,
    GATEHOUSE_EGRESS_ALLOW: '127.0.0.1',
    PUBLIC_URL: 'https://gatehouse.example',
    LOG_LEVEL: 'silent',
  };
}
