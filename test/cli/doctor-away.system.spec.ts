import { type BreakableLink, openLink, testDatabaseUrl, until } from '#libs/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSystem, type System } from '../system/system.js';
import { gatehouse } from './gatehouse.js';

interface Finding {
  service: string;
  check: string;
  state: 'ok' | 'warning' | 'error';
  text: string;
  what_to_do: string | null;
}

/** Beside the portal, which answers for them. The adapters are services of the contract: the gateway asks for them. */
const services = ['webhook-ingress', 'adapter-gateway', 'router', 'engine', 'credential-vault', 'mcp-registry'];

let link: BreakableLink;
let system: System;
let elsewhere: string;

beforeAll(async () => {
  link = await openLink(testDatabaseUrl());
  const { host } = new URL(link.url);
  const pooled = (databaseUrl: string): string => Object.assign(new URL(databaseUrl), { host }).href;
  system = await startSystem({}, { pooled });
  elsewhere = mkdtempSync(join(tmpdir(), 'gatehouse-cli-'));
});
afterAll(async () => {
  await system?.stop();
  await link?.close();
  rmSync(elsewhere, { recursive: true, force: true });
});

async function errors(check: string): Promise<Finding[]> {
  const env = { GATEHOUSE_URL: system.origin('portal'), GATEHOUSE_API_KEY: system.apiKey };
  const { out, err } = await gatehouse(['doctor', '--json'], env, elsewhere);
  if (!out) throw new Error(err);
  const { findings } = JSON.parse(out) as { findings: Finding[] };
  return findings.filter((one) => one.check === check && one.state === 'error');
}

describe('gatehouse doctor, while something is away', () => {
  it('says that Postgres does not answer, and what to look at', async () => {
    await until('nothing is wrong', async () => (await errors('services')).length === 0);
    link.cut();
    const found = await until('it finds Postgres', async () => {
      const [first] = await errors('postgres');
      return first;
    });
    expect(found.text).toMatch(/^Postgres does not answer/);
    expect(found.what_to_do).toContain('DATABASE_URL');
    expect(JSON.stringify(found)).not.toContain('gatehouse doctor');
    link.mend();
    await until('all is well again', async () => (await errors('services')).length === 0);
  });

  it('names each service that is silent', async () => {
    for (const service of services) {
      await system.kill(service);
      await until(`it finds ${service}`, async () => (await errors('services')).some((one) => one.service === service));
    }
  });

  it('names the portal, when that is silent', async () => {
    await system.kill('portal');
    const [found] = await errors('services');
    expect(found).toMatchObject({ service: 'portal', what_to_do: expect.stringContaining('portal runs') });
  });
});
