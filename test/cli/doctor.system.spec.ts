import pg from 'pg';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSystem, type System } from '../system/system.js';
import { openFakeAdapter } from '../system/fake-adapter.js';
import { gatehouse } from './gatehouse.js';

interface Finding {
  service: string;
  check: string;
  state: 'ok' | 'warning' | 'error';
  text: string;
  what_to_do: string | null;
}

let system: System;
let elsewhere: string;

beforeAll(async () => {
  system = await startSystem();
  elsewhere = mkdtempSync(join(tmpdir(), 'gatehouse-cli-'));
});
afterAll(async () => {
  await system?.stop();
  rmSync(elsewhere, { recursive: true, force: true });
});

const env = (): NodeJS.ProcessEnv => ({ GATEHOUSE_URL: system.origin('portal'), GATEHOUSE_API_KEY: system.apiKey });
async function doctor(): Promise<{ code: number | null; findings: Finding[]; wrong(check: string): Finding[] }> {
  const { code, out, err } = await gatehouse(['doctor', '--json'], env(), elsewhere);
  if (!out) throw new Error(err);
  const { findings } = JSON.parse(out) as { findings: Finding[] };
  return { code, findings, wrong: (check) => findings.filter((one) => one.check === check && one.state !== 'ok') };
}
async function onDatabase(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: system.databaseUrl });
  await client.connect();
  await client.query(sql);
  await client.end();
}

describe('gatehouse doctor', () => {
  it('finds a whole system healthy, each service in each respect', async () => {
    const { findings } = await doctor();
    // The tests' Postgres does not flush to disk, which an installation's must; and the first App has no reply address.
    const wrong = findings.filter(
      ({ state, check, text }) =>
        state !== 'ok' && check !== 'attention' && !text.includes('runs with fsync and full_page_writes'),
    );
    expect(wrong).toEqual([]);
    for (const check of ['postgres', 'migrations', 'clocks', 'redis']) {
      expect(findings.filter((one) => one.check === check).map(({ service }) => service)).toEqual(
        expect.arrayContaining(['router', 'engine', 'webhook-ingress', 'adapter-gateway', 'credential-vault']),
      );
    }
    expect(findings.filter(({ check }) => check === 'settings').map(({ text }) => text)).toContain(
      'MESSAGE_MAX_DEPTH is the same in all services.',
    );
    const { out } = await gatehouse(['doctor', '--all'], env(), elsewhere);
    expect(out).toMatch(/^ok +migrations: router: The schema router has every migration of this build\.$/m);
  });

  it('names a migration that has not run, and one that this build does not know', async () => {
    await onDatabase(`CREATE TABLE put_aside AS SELECT * FROM router.migration ORDER BY id DESC LIMIT 1;
      DELETE FROM router.migration WHERE id IN (SELECT id FROM put_aside)`);
    const { code, wrong } = await doctor();
    expect(code).toBe(1);
    expect(wrong('migrations')).toMatchObject([
      { service: 'router', state: 'error', what_to_do: expect.stringContaining('migrate-all') },
    ]);
    await onDatabase(`INSERT INTO router.migration SELECT * FROM put_aside;
      INSERT INTO router.migration (timestamp, name) VALUES (1, 'OfTomorrow1')`);
    expect((await doctor()).wrong('migrations')).toMatchObject([
      { state: 'warning', text: expect.stringContaining('OfTomorrow1') },
    ]);
    await onDatabase("DELETE FROM router.migration WHERE name = 'OfTomorrow1'; DROP TABLE put_aside");
  });

  it('names a store that one service does not reach', async () => {
    system.ingressLinks.redis.cut();
    expect((await doctor()).wrong('redis')).toMatchObject([{ service: 'webhook-ingress', state: 'error' }]);
    system.ingressLinks.redis.mend();
  });

  it('names an adapter that cannot be reached, and one that may not be reached', async () => {
    const adapter = await openFakeAdapter('gone', { verification: 'none' });
    await system.api('POST', '/api/v1/adapters', { url: adapter.url });
    await adapter.close();
    const { code, wrong } = await doctor();
    expect(code).toBe(1);
    expect(wrong('egress')).toMatchObject([
      { service: 'adapter-gateway', text: expect.stringContaining('The adapter gone') },
    ]);
  });

  it('names a service that is silent', async () => {
    await system.kill('mcp-registry');
    expect((await doctor()).wrong('services')).toMatchObject([{ service: 'mcp-registry', state: 'error' }]);
  });
});
