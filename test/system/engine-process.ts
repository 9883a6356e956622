import { testServiceKey, until } from '#libs/testing';
import { type ServiceProcess, spawnService } from './service-process.js';

interface EngineOptions {
  port: number;
  databaseUrl: string;
  redisUrl: string;
  /** Of an endpoint of `fakeModel`. */
  modelUrl: string;
  logFile: string;
  /** Over those below. */
  settings?: Record<string, string>;
}

/** Leases and sweeps so short that a killed engine's turns are soon taken over. */
export const soon = { TURN_LEASE_MS: '1000', SWEEP_EVERY_MS: '200', SWEEP_AFTER_MS: '1000' };

const others = 'ROUTER GATEWAY VAULT MCP_REGISTRY PYTHON_RUNNER ENGINE PUBLIC'.split(' ');

/** An engine as a process, with a model and without any other service. */
export function spawnEngine({
  port,
  databaseUrl,
  redisUrl,
  modelUrl,
  logFile,
  settings,
}: EngineOptions): ServiceProcess {
  const env = {
    PATH: process.env['PATH'],
    PORT: String(port),
    OPERATIONS_PORT: '0',
    ...Object.fromEntries(others.map((service) => [`${service}_URL`, 'http://127.0.0.1:9'])),
    HOST: '127.0.0.1',
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    GATEHOUSE_SERVICE_KEY: JSON.stringify(testServiceKey),
    GATEHOUSE_EGRESS_ALLOW: '127.0.0.1',
    MODEL_BASE_URL: modelUrl,
    MODEL_NAME: 'fake',
    ...settings,
  };
  return spawnService('dist/apps/engine/src/main.js', env, logFile);
}

/** Resolves once the engine at the port is ready. */
export function engineAnswers(port: number): Promise<unknown> {
  return until(`the engine at ${port} answers`, () =>
    fetch(`http://127.0.0.1:${port}/api/v1/sessions`).then(
      ({ status }) => status === 401,
      () => false,
    ),
  );
}
