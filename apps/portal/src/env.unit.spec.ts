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

it('MOVE_ACCEPTS names a key for each organization: one without is refused at the start', () => {
  const read = (MOVE_ACCEPTS: string) => readSettings({ ...environment, MOVE_ACCEPTS }).MOVE_ACCEPTS;
  expect(read('')).toEqual([]);
  expect(read('org_a=key_1, org_b=key_2')).toEqual([
    { organizationId: 'org_a', keyId: 'key_1' },
    { organizationId: 'org_b', keyId: 'key_2' },
  ]);
  for (const wrong of ['org_a', 'org_a=', '=key_1', 'org_a=key_1=key_2']) {
    expect(() => read(wrong)).toThrow('MOVE_ACCEPTS: ');
  }
});
