import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createAdaptersApp } from './adapters-app.js';
import { readEnv } from './env.js';
import { mountProbes } from './probes.js';

const key = (fill: number) => Buffer.alloc(32, fill).toString('base64');

describe('the environment', () => {
  it('has a default for everything', () => {
    expect(readEnv({})).toMatchObject({
      host: '127.0.0.1',
      version: 'unknown',
      callSecrets: [],
      egressAllow: [],
      genericTimeoutMs: 10_000,
    });
  });

  it('reads lists and numbers', () => {
    const env = readEnv({
      PORT: '0',
      GATEHOUSE_ADAPTER_SECRET: `${key(1)}, ${key(2)}`,
      GATEHOUSE_EGRESS_ALLOW: 'a.example,10.0.0.0/8',
    });
    expect(env).toMatchObject({ port: 0, callSecrets: [key(1), key(2)], egressAllow: ['a.example', '10.0.0.0/8'] });
  });

  it('names every variable that is wrong, and no value', () => {
    const wrong = {
      PORT: 'eighty',
      GATEHOUSE_ADAPTER_SECRET: 'hunter2!',
      LOG_LEVEL: 'loud',
      GATEHOUSE_EGRESS_ALLOW: 'http://x/y',
      GATEHOUSE_SLACK_API_URL: 'ftp://hunter2!@slack.example',
    };
    expect(() => readEnv(wrong)).toThrow(/PORT[^]*GATEHOUSE_SLACK_API_URL[^]*LOG_LEVEL[^]*GATEHOUSE_ADAPTER_SECRET/);
    expect(() => readEnv(wrong)).not.toThrow('hunter2!');
  });
});

describe('the hosting process', () => {
  it('answers probes beside the adapters and metrics on another port, and serves the generic adapter', async () => {
    const app = createAdaptersApp(readEnv({ GATEHOUSE_BUILD: 'b1' }), pino({ level: 'silent' }));
    const operations = mountProbes(app, new Registry());
    for (const probe of ['live', 'ready'])
      expect((await app.inject(`/health/${probe}`)).json()).toEqual({ status: 'ok' });
    expect((await app.inject('/generic/health')).json()).toEqual({
      status: 'ready',
      version: 'b1',
      adapter: 'generic',
    });
    expect((await app.inject('/generic/manifest.json')).json()).toMatchObject({
      slug: 'generic',
      name: 'Generic HTTP (bidirectional)',
      capabilities: ['send', 'receive'],
    });
    expect((await app.inject('/metrics')).statusCode).toBe(404);
    const metrics = await operations.inject('/metrics');
    expect(metrics.body).toContain('process_cpu_seconds_total');
    expect(metrics.body).toContain('gatehouse_adapter_call_seconds_count{route="/generic/health",status="200"} 1');
    await app.close();
  });
});
