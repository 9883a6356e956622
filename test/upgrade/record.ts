import { emptyTestDatabase, takeRedisDatabase, type TestDatabase, until } from '#libs/testing';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { services } from '../../scripts/launcher/services.mjs';
import { openChangingMcpServer } from '../console/changing-mcp-server.js';
import { openDocumentAdapter } from '../system/document-adapter.js';
import type { InstalledApp } from '../system/api.js';
import { openOauthAdapter } from '../system/oauth-adapter.js';
import { openSink } from '../system/sink.js';
import { startSystem, type System } from '../system/system.js';
import { hmac, post } from '../system/webhook.js';
import { startAuthorizationServer } from '../vault/authorization-server.js';
import { Browser } from '../vault/browser.js';
import { readKeys } from './keys.js';
import { runMigrations } from './migrations.js';
import { type Places, placesToNames, type Recorded, recordedSecrets, releasesDir } from './release.js';
import { readRows } from './rows.js';

/**
 * Records this release for the `upgrade.system.spec.ts` of all later ones: `node scripts/record-release.mjs`. A working
 * installation is stopped, with events that had ended and with a job waiting in every queue.
 */
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const secret = 'a secret that only the vault keeps';
/** Refreshes are due after half of it: not while this runs, but at some later time. */
const accessTokenSeconds = 120;
const queues = [
  'inbound',
  'route',
  'turns',
  'outbound',
  'outbound-sent',
  'app-changes',
  'sync',
  'refresh',
  'mcp-discovery',
];

let database: TestDatabase;
let system: System;
const ends: (() => Promise<unknown>)[] = [];
const keep = <T>(made: T, end: (made: T) => Promise<unknown>): T => {
  ends.unshift(() => end(made));
  return made;
};
afterAll(async () => {
  for (const end of ends) await end();
});

it(`records v${version}`, async () => {
  database = await emptyTestDatabase();
  const migrations = await runMigrations(database.urlOf('owner'));
  await database.drop();

  const sink = keep(await openSink(), (each) => each.close());
  const library = keep(await openDocumentAdapter(3), (each) => each.close());
  const tools = keep(await openChangingMcpServer(), (each) => each.close());
  const redis = await takeRedisDatabase();
  system = keep(
    await startSystem(
      {
        DISCOVERY_EVERY_MS: '1000',
        DISCOVERY_SWEEP_MS: '200',
        // Every hop has its job: none is left out because the next consumer lives in the same process.
        DIRECT_PARSES_PER_SECOND: '0',
        HAND_OVER_CONCURRENCY: '0',
      },
      { given: { redis, secrets: recordedSecrets } },
    ),
    (each) => each.stop(),
  );
  const connection = keep(new Redis(redis.url, { maxRetriesPerRequest: null }), async (each) => each.disconnect());
  const byName = new Map(
    queues.map((name) => [
      name,
      new Queue(name, { connection, prefix: `{gatehouse:q:${name}}`, skipMetasUpdate: true }),
    ]),
  );
  const queue = (name: string): Queue => byName.get(name)!;
  /** Nobody takes a job of this queue from then on. */
  const hold = (name: string): Promise<void> => queue(name).pause();
  const held = (name: string): Promise<unknown> =>
    until(`a job waits in ${name}`, async () => ((await queue(name).getJobCounts('wait'))['wait'] ?? 0) > 0);

  const { id: workflowId } = await system.api<{ id: number }>('POST', '/api/v1/workflows', {
    name: 'Triage',
    instructions: 'reply: noted',
  });
  await system.api('PUT', `/api/v1/channels/${system.appId}`, { reply_address: `${sink.url}/replies` });
  await system.ownerLink();
  const signed = await signedApp();
  const generic = await genericApp();
  const provider = await connectedGrants();
  const { source_id, app_id: libraryApp } = await librarySource(library.url);
  const server = await system.api<{ id: string }>('POST', '/api/v1/mcp-servers', {
    name: 'Tools',
    url: tools.url,
  });

  const ended: Record<string, string> = {};
  const finish = async (id: string): Promise<string> => {
    ended[id] = (await system.ended(id)).outcome ?? '';
    return id;
  };
  const send = async (task: string, more: object = {}): Promise<string> =>
    (await post(system.webhookUrl, { task, ...more }, { 'idempotency-key': task })).id;
  const delivered = await finish(await send('delivered'));
  await system.reached(delivered, 'delivery', 'delivered');
  const ran = await finish(await send('a run', { workflow_id: workflowId }));
  const run_id = await until('the run succeeded', async () => {
    const [run] = (await system.ended(ran)).runs;
    return run?.state === 'succeeded' && run.id;
  });
  await system.reached(ran, 'delivery', 'delivered');
  const body = JSON.stringify({ task: 'signed' });
  await system.reached(
    await finish(
      (await post(`${system.origin('portal')}${signed}`, body, { 'x-signature-256': hmac(secret, body) })).id,
    ),
    'turn',
    'succeeded',
  );
  const byAdapter = async (sender: string, key = secret): Promise<string> => {
    const message = JSON.stringify({ sender, message: 'let me in', id: sender, reply_to: `${sink.url}/generic` });
    return (await post(generic.webhook_url, message, { 'x-signature-256': hmac(key, message) })).id;
  };
  await finish(await byAdapter('jane'));
  await finish(await byAdapter('jane', 'another secret'));
  sink.answer = ({ path }) => ({ status: path === '/replies' ? 410 : 200 });
  await system.reached(await finish(await send('given up')), 'delivery', 'dead');
  sink.answer = () => ({ status: 200 });

  await system.api('PUT', `/api/v1/channels/${generic.id}`, { unknown_senders: 'open' });
  // From the end of the path to its beginning: later messages still pass the queues that are not held yet.
  const waiting: Record<string, string> = {};
  const stages: [string, string, string][] = [
    ['outbound-sent', 'delivery', 'delivered'],
    ['outbound', 'turn', 'succeeded'],
    ['turns', 'routed', 'routed'],
    ['route', '', ''],
    ['inbound', '', ''],
  ];
  for (const [name, stage, outcome] of stages) {
    await hold(name);
    // Sent messages of the Webhook App are not noted, so this one goes through an adapter.
    waiting[name] = name === 'outbound-sent' ? await byAdapter('joan') : await send(`waits in ${name}`);
    if (stage) await system.reached(waiting[name], stage, outcome);
    await held(name);
  }
  await hold('app-changes');
  await system.api('PATCH', `/api/v1/apps/${libraryApp}`, { name: 'Library, renamed' });
  await held('app-changes');
  await hold('sync');
  await system.api('POST', `/api/v1/sources/${source_id}/sync`);
  await held('sync');
  await hold('refresh');
  await system.api('DELETE', `/api/v1/credentials/${provider.deleted}`);
  await held('refresh');
  await hold('mcp-discovery');
  await held('mcp-discovery');

  for (const { name } of services) await system.drain(name);
  for (const each of byName.values()) {
    await each.resume();
    await each.close();
  }
  const places: Places = {
    sink: sink.url,
    adapters: system.origin('adapters'),
    library: new URL(library.url).origin,
    tools: new URL(tools.url).origin,
    provider: provider.url,
  };
  const recorded: Recorded = {
    api_key: system.apiKey,
    webhook_path: system.webhookPath,
    signed: { webhook_path: signed, secret },
    ended,
    waiting: waiting as Recorded['waiting'],
    run_id,
    source_id,
    mcp_server_id: server.id,
    grant_id: provider.kept,
  };
  const folder = new URL(`v${version}/`, releasesDir);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const write = (name: string, text: string): void => writeFileSync(new URL(name, folder), text);
  const asText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
  write('migrations.json', asText(migrations));
  write('recorded.json', asText(recorded));
  write('rows.txt', placesToNames(await readRows(system.databaseUrl), places));
  write('jobs.json', placesToNames(await readKeys(system.redisUrl), places));
}, 600_000);

/** @returns the path of its webhook */
async function signedApp(): Promise<string> {
  const { webhook_path } = await system.api<{ webhook_path: string }>('POST', '/api/v1/apps', {
    name: 'Signed',
    kind: 'builtin',
    credential_id: await system.credential({ signing_secret: secret }),
    signature: { scheme: 'hmac' },
  });
  await until(
    'the ingress knows it',
    async () => (await fetch(`${system.origin('portal')}${webhook_path}`)).status === 405,
  );
  return webhook_path;
}

/** An adapter's App, which holds messages of unknown senders. */
async function genericApp(): Promise<InstalledApp> {
  const url = `${system.origin('adapters')}/generic`;
  const { id: adapter_id } = await system.api<{ id: string }>('POST', '/api/v1/adapters', { url });
  const credential_id = await system.credential({ signing_secret: secret });
  const made = { name: 'Generic', kind: 'adapter', adapter_id, credential_id };
  const app = await system.api<InstalledApp>('POST', '/api/v1/apps', made);
  await system.api('PUT', `/api/v1/channels/${app.id}`, { unknown_senders: 'hold' });
  await until('the ingress knows it', async () => (await fetch(app.webhook_url)).status === 405);
  return app;
}

async function librarySource(url: string): Promise<{ source_id: string; app_id: string }> {
  const { id: adapter_id } = await system.api<{ id: string }>('POST', '/api/v1/adapters', { url });
  const app = await system.api<{ id: string }>('POST', '/api/v1/apps', {
    name: 'Library',
    kind: 'adapter',
    adapter_id,
  });
  const made = { app_id: app.id, name: 'Library', resource_path: '' };
  const { id } = await system.api<{ id: string }>('POST', '/api/v1/sources', made);
  await system.api('POST', `/api/v1/sources/${id}/sync`);
  await until('its documents are known', async () => {
    const { data } = await system.api<{ data: unknown[] }>('GET', '/api/v1/knowledge?limit=10');
    return data.length === 3;
  });
  return { source_id: id, app_id: app.id };
}

/** Two grants of a provider: one with a refresh due some day, and one to be deleted. */
async function connectedGrants(): Promise<{ url: string; kept: string; deleted: string }> {
  const portal = system.origin('portal');
  const redirectUri = `${portal}/api/v1/oauth/callback/orbit`;
  const provider = keep(await startAuthorizationServer({ redirectUris: [redirectUri], accessTokenSeconds }), (each) =>
    each.close(),
  );
  const adapter = keep(await openOauthAdapter(provider.url), (each) => each.close());
  await system.api('POST', '/api/v1/adapters', { url: adapter.url });
  const connect = async (name: string): Promise<string> => {
    const fields = { client_id: 'gatehouse', client_secret: 'a-client-secret' };
    const made = { name, type: 'oauth2', grant: 'authorization_code', adapter_slug: 'orbit', fields };
    const { id } = await system.api<{ id: string }>('POST', '/api/v1/credentials', made);
    const started = await fetch(`${portal}/api/v1/credentials/${id}/connect`, {
      method: 'POST',
      headers: { authorization: `Bearer ${system.apiKey}`, 'content-type': 'application/json' },
      body: '{}',
    });
    const { authorization_url: url } = (await started.json()) as { authorization_url: string };
    const browser = new Browser();
    browser.set(portal, started.headers.get('set-cookie') ?? '');
    browser.set(provider.url, `account=${name}`);
    await browser.get((await browser.follow(url, redirectUri)).href, { accept: 'text/html' });
    const { status } = await system.api<{ status: string }>('GET', `/api/v1/credentials/${id}`);
    expect(status).toBe('active');
    return id;
  };
  return { url: provider.url, kept: await connect('alice'), deleted: await connect('bob') };
}
