import { until } from '#libs/testing';
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type DocumentAdapter, openDocumentAdapter } from './document-adapter.js';
import { startSystem, type System } from './system.js';

const documents = 1_500;
const kills = 3;
/**
 * Leases short enough that a killed process's work is taken over soon. The sync is not convicted of what kills its process:
 * on a busy machine no slice of it ends between two of these kills.
 */
const leases = {
  SYNC_LEASE_MS: '1500',
  SYNC_SLICE_MS: '1000',
  SYNC_SWEEP_MS: '200',
  SYNC_ATTEMPTS: '50',
  POISON_KILLS: '100',
};

interface KeptDocument {
  path: string;
  fingerprint: string;
  state: string;
}

describe('a sync whose process is killed', () => {
  let system: System;
  let adapter: DocumentAdapter;

  beforeAll(async () => {
    adapter = await openDocumentAdapter(documents);
    system = await startSystem(leases);
  });
  afterAll(async () => {
    await system.stop();
    await adapter.close();
  });

  const run = async (id: string): Promise<{ finished_at: string | null } | undefined> =>
    (await system.api<{ data: { finished_at: string | null }[] }>('GET', `/api/v1/sources/${id}/runs`)).data[0];
  async function kept(id: string): Promise<KeptDocument[]> {
    const rows: KeptDocument[] = [];
    for (let cursor = ''; ;) {
      const page = await system.api<{ data: KeptDocument[]; next_cursor: string | null }>(
        'GET',
        `/api/v1/sources/${id}/documents?limit=100${cursor}`,
      );
      rows.push(...page.data);
      if (!page.next_cursor) return rows;
      cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
    }
  }

  async function known(): Promise<string[]> {
    const titles: string[] = [];
    for (let cursor = ''; ;) {
      const path = `/api/v1/knowledge?limit=200${cursor}`;
      const page = await system.api<{ data: { title: string }[]; next_cursor: string | null }>('GET', path);
      titles.push(...page.data.map(({ title }) => title));
      if (!page.next_cursor) return titles;
      cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
    }
  }
  const knows = (count: number) =>
    until(`the knowledge has ${count} documents`, async () => {
      const titles = await known();
      return titles.length === count ? titles : null;
    });

  it('loses no document and stores none twice, at whatever moment it or the engine dies', async () => {
    const registered = await system.api<{ id: string }>('POST', '/api/v1/adapters', { url: adapter.url });
    const app = await system.api<{ id: string }>('POST', '/api/v1/apps', {
      name: 'Library',
      kind: 'adapter',
      adapter_id: registered.id,
    });
    const body = { app_id: app.id, name: 'Library', resource_path: '' };
    const { id } = await system.api<{ id: string }>('POST', '/api/v1/sources', body);
    await system.api('POST', `/api/v1/sources/${id}/sync`);

    let struck = 0;
    for (let n = 0; n < kills; n += 1) {
      const before = adapter.fetched.size;
      await until('it continues', () => adapter.fetched.size > before);
      await pause(randomInt(400));
      if (adapter.fetched.size < documents) struck += 1;
      await system.kill('adapter-gateway');
      await system.restart('adapter-gateway');
      // By now the engine is receiving what was fetched.
      await until('it gets some', async () => (await known()).length > n * 20);
      await system.kill('engine');
      await system.restart('engine');
      if (adapter.fetched.size >= documents) break;
    }
    expect(struck).toBeGreaterThan(0);

    const ended = await until('the run has ended', async () => {
      const now = await run(id);
      return now?.finished_at ? now : null;
    });
    expect(ended).toMatchObject({ state: 'succeeded', added: documents, changed: 0, removed: 0, failed: 0 });
    const rows = await kept(id);
    expect(rows.map(({ path }) => path).sort()).toEqual([...Array(documents).keys()].map((n) => `f/${n}`).sort());
    expect(rows.every(({ path, fingerprint, state }) => fingerprint === path.slice(2) && state === 'current')).toBe(
      true,
    );
    // What was in flight at the crash is fetched again, and nothing else.
    const refetched = [...adapter.fetched.values()].reduce((sum, times) => sum + times - 1, 0);
    expect(refetched).toBeLessThan(kills * 200);

    expect((await knows(documents)).sort()).toEqual(rows.map(({ path }) => path).sort());
    const found = await system.api<{ data: unknown[] }>('GET', '/api/v1/knowledge/search?q=1234&limit=5');
    expect(found.data).toEqual([
      expect.objectContaining({
        title: 'f/1234',
        excerpt: adapter.textOf('f/1234'),
        trust: 'untrusted',
        source: 'sync',
      }),
    ]);

    // The adapter's second listing is complete but empty: everything was removed at its source.
    await system.api('POST', `/api/v1/sources/${id}/sync`);
    await until('they are no longer found', async () => (await known()).length < documents);
    await Promise.all([system.kill('adapter-gateway'), system.kill('engine')]);
    await Promise.all([system.restart('adapter-gateway'), system.restart('engine')]);
    await knows(0);
  });
});
