export { testRedisUrl } from './env.js';
export { testServiceKey, testServiceTrust } from './service-key.js';
export { testDatabase, type TestDatabase } from './test-database.js';
export { until } from './until.js';
