export { openLink, type BreakableLink } from './breakable-link.js';
export { testRedisUrl } from './env.js';
export { growth } from './growth.js';
export { takeRedisDatabase, type RedisDatabase } from './redis-database.js';
export { testServiceKey, testServiceTrust } from './service-key.js';
export { sendByByte, slowClient, type SlowClient } from './slow-client.js';
export { TEST_CERTIFICATE, TEST_KEY } from './test-certificate.js';
export { emptyTestDatabase, testDatabase, testPasswords, type TestDatabase } from './test-database.js';
export { Hopeless, until } from './until.js';
