import { until } from '#libs/testing';
import { openPlainAdapter, type PlainAdapter } from './plain-adapter.js';
import { startSystem, type System } from './system.js';

const neighbours = 3;
/** A death counts as one alone while its trial lasts: on a busy machine a call may take longer than its default. */
const settings = { POISON_TRIAL_MS: '30000', SYNC_SWEEP_MS: '200', ADAPTER_TIMEOUT_MS: '60000' };

interface Run {
  id: string;
  state: string;
  cursor: string | null;
  error: string | null;
  error_detail: string | null;
  added: number;
}

describe('a sync that kills the process which works on it', () => {
  let system: System;
  let adapter: PlainAdapter;
  let deaths = 0;
  let kills = true;
  let dying: Promise<void> = Promise.resolve();
  /** Neighbours whose listing is asked for before the first death: all of them are in flight when it happens. */
  const inFlight = new Set<string>();

  beforeAll(async () => {
    adapter = await openPlainAdapter('library');
    const manifest = adapter.answers['manifest.json']!({}) as object;
    adapter.answers['manifest.json'] = () => ({ ...manifest, capabilities: [] });
    adapter.answers['sources/list-changes'] = async ({ resource_path: path = '' }) => {
      if (path !== 'poison') {
        inFlight.add(path);
        if (deaths === 0) await until('the process is killed', () => deaths > 0);
      } else if (kills) {
        if (deaths === 0) await until('all are in flight', () => inFlight.size >= neighbours);
        deaths += 1;
        dying = system.kill('adapter-gateway').then(() => system.restart('adapter-gateway'));
        await new Promise(() => undefined);
      }
      const changes = [{ path: `${path}.md`, fingerprint: '1', status: 'added' }];
      return { changes, cursor: 'all', has_more: false, full: true };
    };
    adapter.answers['sources/fetch-file'] = () => ({
      content_base64: Buffer.from('A page.').toString('base64'),
      content_type: 'text/markdown',
      size: 7,
      fingerprint: '1',
    });
    system = await startSystem(settings);
    await system.api('POST', '/api/v1/adapters', { url: adapter.url });
  });
  afterAll(async () => {
    await dying;
    await system?.stop();
    await adapter.close();
  });

  const sourceOf = async (appId: string, path: string): Promise<string> => {
    const made = { app_id: appId, name: path, resource_path: path };
    return (await system.api<{ id: string }>('POST', '/api/v1/sources', made)).id;
  };
  const runOf = async (source: string): Promise<Run | undefined> => {
    const none = { data: [] as Run[] };
    return (await system.api<{ data: Run[] }>('GET', `/api/v1/sources/${source}/runs`).catch(() => none)).data[0];
  };
  const ended = (source: string, after = ''): Promise<Run> =>
    until('the run has ended', async () => {
      const run = await runOf(source);
      return run && run.id !== after && !['queued', 'running'].includes(run.state) ? run : null;
    });

  it('has ended after two deaths, with its source kept, and its neighbours are synchronised', async () => {
    const app = await system.api<{ id: string }>('POST', '/api/v1/listings/library/install', {});
    const paths = Array.from({ length: neighbours }, (_, n) => `neighbour ${n}`);
    const others = await Promise.all(paths.map((path) => sourceOf(app.id, path)));
    const poison = await sourceOf(app.id, 'poison');
    await Promise.all([...others, poison].map((id) => system.api('POST', `/api/v1/sources/${id}/sync`)));

    const run = await ended(poison);
    expect(run).toMatchObject({ state: 'failed', error: 'kills_its_process' });
    expect(deaths).toBe(2);
    for (const id of others) expect(await ended(id)).toMatchObject({ state: 'succeeded', added: 1, error: null });
    const { data: items } = await system.api<{ data: { code: string; text: string }[] }>('GET', '/api/v1/attention');
    expect(items.filter(({ code }) => code === 'source_failing').map(({ text }) => text)).toEqual([
      expect.stringContaining('poison'),
    ]);

    // What it was about is there still: with its cause gone, it is synchronised.
    kills = false;
    await system.api('POST', `/api/v1/sources/${poison}/sync`);
    expect(await ended(poison, run.id)).toMatchObject({ state: 'succeeded', added: 1 });
    expect(deaths).toBe(2);
  });
});
