import { until } from '#libs/testing';
import { execFileSync, type StdioOptions } from 'node:child_process';
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/launcher/project.mjs';
import { services } from '../../scripts/launcher/services.mjs';
import { openCanaries } from '../system/canaries.js';
import { startSystem, type System } from '../system/system.js';
import { post } from '../system/webhook.js';
import { gatehouse } from './gatehouse.js';

const canaries = openCanaries();
const plant = (field: string): string => canaries.plant(field);
let system: System;
let bundle: string;
let text: string;

beforeAll(async () => {
  system = await startSystem();
  await plantEverywhere();
  bundle = join(system.dataDir, 'bundle.tar.gz');
  const env = { GATEHOUSE_DATA_DIR: system.dataDir, MODEL_API_KEY: plant('environment') };
  // A service that answers late is left out.
  text = await until('it has something of every service', async () => {
    const { code, err } = await gatehouse(['support-bundle', '--out', bundle], env, system.dataDir);
    if (code !== 0) throw new Error(err);
    const collected = execFileSync('tar', ['-xzOf', bundle], { encoding: 'utf8', maxBuffer: 2 ** 28 });
    return !collected.includes('"not_answered"') && collected.includes('gatehouse_outcomes_total') && collected;
  });
});
afterAll(() => system?.stop());

/** Places that hold secrets, and places where one might end up by mistake. */
async function plantEverywhere(): Promise<void> {
  const { data } = await system.api<{ data: { id: string }[] }>('GET', '/api/v1/apps');
  await system.api('POST', '/api/v1/credentials', {
    name: 'a credential',
    type: 'text',
    fields: { password: plant('credential') },
  });
  const { id } = await post(system.webhookUrl, { task: plant('text of a message'), thread_id: plant('thread') });
  await system.ended(id);
  const secrets = join(system.dataDir, 'secrets.json');
  const known = JSON.parse(readFileSync(secrets, 'utf8')) as Record<string, string>;
  const log = join(system.dataDir, 'logs', 'router.log');
  const lines = [
    `{"level":50,"authorization":"Bearer ${plant('header in a log')}"}`,
    `{"level":50,"deep":{"deeper":{"client_secret":"${plant('field in a log')}"}}}`,
    `Error: connect failed: postgres://gatehouse:${plant('password of an address')}@127.0.0.1:5432/x`,
    `GET http://127.0.0.1/api/v1/webhooks/${plant('token of a webhook')} 404`,
    `DATABASE_PASSWORD=${plant('setting in a log')}`,
    `the key ${known['webhook_key']} as it is, and ${known['adapter_secret']}`,
    `key of the API: ${system.apiKey}, in base64 ${Buffer.from(system.apiKey).toString('base64')}`,
  ];
  appendFileSync(log, `${lines.join('\n')}\nthe last line is kept\n`);
  const description = {
    base_url: system.origin('portal'),
    api_key: system.apiKey,
    owner_link: `${system.origin('portal')}/sign-in#${plant('link of the owner')}`,
    app_id: data[0]?.id ?? '',
    services: services.map(({ name }) => ({ name, pid: null, ...portsOf(name) })),
  };
  writeFileSync(join(system.dataDir, 'gatehouse.json'), JSON.stringify(description), { mode: 0o600 });
}

/** According to its log. */
function portsOf(name: string): { port: number; operations_port: number } {
  const log = readFileSync(join(system.dataDir, 'logs', `${name}.log`), 'utf8');
  const url = /"operations.started","url":"([^"]+)"/.exec(log)?.[1];
  return { port: Number(new URL(system.origin(name)).port), operations_port: url ? Number(new URL(url).port) : 9 };
}

describe('gatehouse support-bundle', () => {
  it('contains what helps to find a fault', () => {
    const names = execFileSync('tar', ['-tzf', bundle], { encoding: 'utf8' }).trim().split('\n');
    expect(names).toEqual(
      expect.arrayContaining([
        'machine.json',
        'doctor.json',
        'diagnostics.json',
        'queues.json',
        'events.json',
        'logs/router.log',
        'metrics/router.txt',
      ]),
    );
    expect(text).toContain('the last line is kept');
    expect(text).toMatch(/"outcome": "routed"/);
  });

  it('contains no secret, and nothing that somebody wrote', () => {
    expect(canaries.planted()).toBeGreaterThan(8);
    expect(canaries.foundIn(text)).toEqual([]);
    const secrets = JSON.parse(readFileSync(join(system.dataDir, 'secrets.json'), 'utf8')) as {
      kek: { key: string };
      service_key: { d: string };
      webhook_key: string;
      adapter_secret: string;
    };
    const keys = [system.apiKey, secrets.kek.key, secrets.service_key.d, secrets.webhook_key, secrets.adapter_secret];
    for (const key of keys) expect(text.includes(key)).toBe(false);
    expect(text.includes(Buffer.from(system.apiKey).toString('base64'))).toBe(false);
    expect(text.includes(system.webhookPath)).toBe(false);
  });

  it('can be read only by its owner', () => {
    expect(statSync(bundle).mode & 0o777).toBe(0o600);
  });

  it('goes to standard output where no file can be written, as in a container', async () => {
    const env = { GATEHOUSE_DATA_DIR: system.dataDir };
    const command = [join(root, 'dist/apps/cli/src/gatehouse.js'), 'support-bundle', '--out', '-'];
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
    const archive = execFileSync(process.execPath, command, { env, stdio, maxBuffer: 2 ** 28 });
    const names = execFileSync('tar', ['-tz'], { input: archive, encoding: 'utf8' });
    expect(names.split('\n')).toEqual(expect.arrayContaining(['machine.json', 'doctor.json']));
    const refused = await gatehouse(['support-bundle', '--out', join(system.dataDir, 'missing/bundle.tar.gz')], env);
    expect(refused).toMatchObject({ code: 2, err: expect.stringMatching(/cannot be written[^]*--out - /) });
  });
});
