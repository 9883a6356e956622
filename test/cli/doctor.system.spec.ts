import { until } from '#libs/testing';
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

interface Diagnosis {
  code: number | null;
  findings: Finding[];
  wrong(check: string): Finding[];
}
async function doctor(): Promise<Diagnosis> {
  const { code, out, err } = await gatehouse(['doctor', '--json'], env(), elsewhere);
  if (!out) throw new Error(err);
  const { findings } = JSON.parse(out) as { findings: Finding[] };
  return { code, findings, wrong: (check) => findings.filter((one) => one.check === check && one.state !== 'ok') };
}
/** Asks again while it does not find what is expected: a service that answers late is silent. */
const finds = (what: string, expected: (found: Diagnosis) => void): Promise<true> =>
  until(`the doctor finds ${what}`, async () => {
    expected(await doctor());
    return true;
  });
async function onDatabase(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: system.databaseUrl });
  await client.connect();
  await client.query(sql);
  await client.end();
}

describe('gatehouse doctor', () => {
  it('finds a whole system healthy, each service in each respect', async () => {
    await finds('nothing wrong', ({ findings }) => {
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
    });
    await until('it shows what is fine', async () => {
      const { out } = await gatehouse(['doctor', '--all'], env(), elsewhere);
      return /^ok +migrations: router: The schema router has every migration of this build\.$/m.test(out);
    });
  });

  it('names a migration that has not run, and one that this build does not know', async () => {
    await onDatabase(`CREATE TABLE put_aside AS SELECT * FROM router.migration ORDER BY id DESC LIMIT 1;
      DELETE FROM router.migration WHERE id IN (SELECT id FROM put_aside)`);
    await finds('the one that has not run', ({ code, wrong }) => {
      expect(code).toBe(1);
      expect(wrong('migrations')).toMatchObject([
        { service: 'router', state: 'error', what_to_do: expect.stringContaining('migrate-all') },
      ]);
    });
    await onDatabase(`INSERT INTO router.migration SELECT * FROM put_aside;
      INSERT INTO router.migration (timestamp, name) VALUES (1, 'OfTomorrow1')`);
    await finds('the unknown one', ({ wrong }) =>
      expect(wrong('migrations')).toMatchObject([{ state: 'warning', text: expect.stringContaining('OfTomorrow1') }]),
    );
    await onDatabase("DELETE FROM router.migration WHERE name = 'OfTomorrow1'; DROP TABLE put_aside");
  });

  it('names a store that one service does not reach', async () => {
    system.ingressLinks.redis.cut();
    await finds('the store', ({ wrong }) =>
      expect(wrong('redis')).toMatchObject([{ service: 'webhook-ingress', state: 'error' }]),
    );
    system.ingressLinks.redis.mend();
  });

  it('names an adapter that cannot be reached, and one that may not be reached', async () => {
    const adapter = await openFakeAdapter('gone', { verification: 'none' });
    await system.api('POST', '/api/v1/adapters', { url: adapter.url });
    await adapter.close();
    await finds('the adapter', ({ code, wrong }) => {
      expect(code).toBe(1);
      expect(wrong('egress')).toMatchObject([
        { service: 'adapter-gateway', text: expect.stringContaining('The adapter gone') },
      ]);
    });
  });

  it('names a service that is silent', async () => {
    await system.kill('mcp-registry');
    await finds('the service', ({ wrong }) =>
      expect(wrong('services')).toMatchObject([{ service: 'mcp-registry', state: 'error' }]),
    );
  });
});
