import { defineAdapter, serveAdapters } from './index.js';

const KEY = Buffer.alloc(32, 1).toString('base64');
const NEXT = Buffer.alloc(32, 2).toString('base64');
const env = { PORT: '0', GATEHOUSE_BUILD: 'a1b2c3', GATEHOUSE_ADAPTER_SECRET: `${NEXT}, ${KEY}` };
const adapter = defineAdapter({
  manifest: {
    schema_version: '1.0',
    slug: 'sample',
    name: 'Sample',
    description: 'For tests.',
    category: 'Integration',
    capabilities: [],
    credentials: [],
  },
  verify: () => ({ ok: true, user: 'sample' }),
});

describe('a process of adapters', () => {
  it('listens as its environment says, shows the build in its health, and accepts only signed calls', async () => {
    const before = process.listenerCount('SIGTERM');
    const app = await serveAdapters([adapter], env);
    expect(app.addresses()).toEqual([expect.objectContaining({ address: '127.0.0.1' })]);
    expect((await app.inject('/sample/health')).json()).toEqual({
      status: 'ready',
      version: 'a1b2c3',
      adapter: 'sample',
    });
    expect((await app.inject({ method: 'POST', url: '/sample/verify', payload: {} })).statusCode).toBe(401);
    await app.close();
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });

  it('shows the version unknown when no build is injected', async () => {
    const app = await serveAdapters([adapter], { ...env, GATEHOUSE_BUILD: '' });
    expect((await app.inject('/sample/health')).json().version).toBe('unknown');
    await app.close();
  });

  it('does not start with settings that it cannot use', async () => {
    await expect(serveAdapters([adapter], { ...env, PORT: 'http' })).rejects.toThrow('PORT');
    await expect(serveAdapters([adapter], { ...env, GATEHOUSE_ADAPTER_SECRET: 'short' })).rejects.toThrow('base64');
  });
});
