import { Module } from '@nestjs/common';
import { testServiceKey } from '#libs/testing';
import { OperationsServer, startService } from './index.js';

@Module({})
class NothingModule {}

const settings = {
  PORT: 0,
  OPERATIONS_PORT: 0,
  HOST: '127.0.0.1',
  REDIS_URL: null,
  QUEUE_CONCURRENCY: 1,
  GATEHOUSE_SERVICE_KEY: testServiceKey,
  LOG_LEVEL: 'silent',
};
const options = { name: 'portal' as const, module: NothingModule, settings };
const portOf = (app: Awaited<ReturnType<typeof startService>>) => {
  const address = app.get(OperationsServer).http.server.address();
  return typeof address === 'object' && address ? address.port : 0;
};

describe('the operations port', () => {
  it('alone serves metrics and says why a service is not ready', async () => {
    const app = await startService({ ...options, notReady: async () => 'the moon is full' });
    const [own, operations] = [await app.getUrl(), `http://127.0.0.1:${portOf(app)}`];
    expect((await fetch(`${own}/metrics`)).status).toBe(404);
    const ready = await fetch(`${own}/health/ready`);
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'not_ready' }]);
    expect(await (await fetch(`${operations}/metrics`)).text()).toContain('process_cpu_seconds_total');
    const why = await fetch(`${operations}/health/ready`);
    expect([why.status, await why.json()]).toEqual([503, { status: 'not_ready', reason: 'the moon is full' }]);
    await app.close();
    await expect(fetch(`${operations}/metrics`)).rejects.toThrow();
  });

  it('is named when it is taken, with the setting that changes it', async () => {
    const app = await startService(options);
    const taken = startService({ ...options, settings: { ...settings, OPERATIONS_PORT: portOf(app) } });
    await expect(taken).rejects.toThrow('OPERATIONS_PORT');
    await app.close();
  });
});
