import { patienceMs, testServiceKey } from '#libs/testing';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../../scripts/launcher/project.mjs';

/** Starts the engine with these settings in addition to those that it needs, and resolves once it has exited. */
function engineWith(more: NodeJS.ProcessEnv) {
  const urls = [
    'ROUTER_URL',
    'GATEWAY_URL',
    'VAULT_URL',
    'MCP_REGISTRY_URL',
    'ENGINE_URL',
    'PUBLIC_URL',
    'DATABASE_URL',
    'REDIS_URL',
  ];
  const env = {
    PATH: process.env['PATH'],
    ...Object.fromEntries(urls.map((name) => [name, 'http://127.0.0.1:9'])),
    GATEHOUSE_SERVICE_KEY: JSON.stringify(testServiceKey),
    ...more,
  };
  const entry = join(root, 'dist/apps/engine/src/main.js');
  return spawnSync(process.execPath, [entry], { env, encoding: 'utf8', timeout: patienceMs });
}

describe('an engine', () => {
  it('does not start with a model endpoint and no model', () => {
    const { status, stderr } = engineWith({ MODEL_BASE_URL: 'http://127.0.0.1:9/v1' });
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('MODEL_NAME is not') });
  });
});
