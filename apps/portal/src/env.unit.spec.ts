import { testServiceKey } from '#libs/testing';
import { readSettings } from './env.js';

const services = ['INGRESS', 'GATEWAY', 'VAULT', 'ROUTER', 'ENGINE', 'MCP_REGISTRY'];
const environment = {
  ...Object.fromEntries(services.map((name) => [`${name}_URL`, 'http://localhost:1'])),
  PUBLIC_URL: 'http://localhost:1',
  DATABASE_URL: 'postgres://localhost/gatehouse',
  REDIS_URL: 'redis://localhost',
  GATEHOUSE_SERVICE_KEY: JSON.stringify(testServiceKey),
};

it('a revoked key or session is out of use within 100 ms, unless an operator sets it otherwise', () => {
  expect(readSettings(environment).KEY_CACHE_MS).toBeLessThan(100);
});
