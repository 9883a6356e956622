import { until } from '#libs/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Schema } from '../../../apps/console/src/api/named-schema.js';
import type { ContractAdapter } from '../contract-process.js';
import type { ContractApp, ContractWorld } from '../contract-world.js';

/** What `docs/adapter-contract.md` shows of a route: its JSON blocks, in order. A POST begins with the request. */
function shownOf(route: string): Record<string, unknown>[] {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/adapter-contract.md'), 'utf8');
  const section = page.split(/^## /m).find((part) => part.startsWith(`${route}\n`)) ?? '';
  return [...section.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, json = '']) => JSON.parse(json));
}

/** The fields of a request, with those below them; what an App or a sender chooses is not looked into. */
function fieldsOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  if (/^(credentials|self|request\.(headers|query))$/.test(path)) return [];
  return Object.entries(value).flatMap(([name, below]) => {
    const field = path === '' ? name : `${path}.${name}`;
    return [field, ...fieldsOf(below, field)];
  });
}

const posts = ['verify', 'verify-webhook', 'parse-inbound', 'format', 'deliver', 'deliver/lookup'];
const renewal = 'renew-webhook';
const missed = 'missed-since';
const sources = ['sources/list-changes', 'sources/fetch-file'];

/** The page that shows every call: the requests are made, and the answers are understood. @param shared the system */
export function holdPage(shared: () => ContractWorld): void {
  describe('the page that shows every call as JSON', () => {
    let world: ContractWorld;
    let adapter: ContractAdapter;
    let app: ContractApp;

    beforeAll(async () => {
      world = shared();
      const [manifest] = shownOf('GET /manifest.json');
      const webhook = { renew_seconds: 86_400, missed_since: true };
      adapter = await world.adapters.mount('page', { ...manifest, webhook, slug: undefined });
      await adapter.answer('health', { json: { ...shownOf('GET /health')[0], adapter: adapter.slug } });
      for (const route of [...posts, renewal, missed, ...sources]) {
        const answer = shownOf(`POST /${route}`)[route === 'parse-inbound' ? 0 : 1];
        expect([route, answer]).toEqual([route, expect.any(Object)]);
        await adapter.answer(route, { json: answer });
      }
      const token = { name: 'page token', type: 'api_key', fields: { token: 'a-token' } };
      const { id: ACME_TOKEN } = await world.api<{ id: string }>('POST', '/api/v1/credentials', token);
      const ACME_SIGNING_SECRET = await world.credential({ signing_secret: 'a-secret-that-is-long-enough' });
      app = await world.install(adapter, { credentials: { ACME_TOKEN, ACME_SIGNING_SECRET } });
    });

    /** The last request of a route is the one that the page shows, field by field. */
    const isShown = async (route: string, shown = shownOf(`POST /${route}`)[0]): Promise<void> => {
      const [sent] = (await adapter.calls(route)).slice(-1);
      expect([route, fieldsOf(sent?.body).toSorted()]).toEqual([route, fieldsOf(shown).toSorted()]);
      expect(Object.keys(sent?.headers ?? {})).toEqual(
        expect.arrayContaining(['x-organization-id', 'x-project-id', 'x-request-id', 'webhook-signature']),
      );
    };

    it('has the requests that are made, and answers that take a message to its reply', async () => {
      const { body } = await world.ask<Schema<'VerifiedAppView'>>('POST', `apps/${app.id}/verify`);
      expect(body.checks).toEqual(
        expect.arrayContaining([expect.objectContaining({ id: 'credentials_accepted', status: 'ok' })]),
      );
      await isShown('verify');
      await adapter.forget();
      const { id } = await world.send(app, { any: 'event' });
      await world.reached(id, 'delivery', 'delivered');
      await isShown('verify-webhook');
      await isShown('parse-inbound', shownOf('POST /verify-webhook')[0]);
      await isShown('format');
      await isShown('deliver');
      const [delivered] = await adapter.calls('deliver');
      expect(delivered?.body).toMatchObject({ channel_address: 'c-1', message: { thread_id: 'm-1' } });
    });

    it('has the request by which a lost answer is looked up', async () => {
      await adapter.answer('deliver', { drop: true });
      await adapter.answer('parse-inbound', { json: { ...shownOf('POST /parse-inbound')[0], dedup_key: 'lost' } });
      const { id } = await world.send(app, { another: 'event' });
      await world.reached(id, 'delivery', 'delivered');
      await isShown('deliver/lookup');
      await adapter.answer('deliver', { json: shownOf('POST /deliver')[1] });
    });

    it('has the requests of a sync, and answers that it understands', async () => {
      const made = { app_id: app.id, name: 'page', resource_path: 'handbook' };
      const source = await world.api<{ id: string }>('POST', '/api/v1/sources', made);
      const { body } = await world.ask<Schema<'SyncRunView'>>('POST', `sources/${source.id}/sync`);
      const run = await until('the sync has ended', async () => {
        const now = (await world.ask<Schema<'SyncRunView'>>('GET', `sources/${source.id}/runs/${body.id}`)).body;
        return now.finished_at ? now : null;
      });
      expect(run).toMatchObject({ state: 'succeeded', added: 1, failed: 0 });
      for (const route of sources) await isShown(route);
    });

    it('has the request by which a webhook is renewed, and answers that it understands', async () => {
      const shown = async () =>
        (await world.ask<Schema<'WebhookRenewalView'>>('GET', `apps/${app.id}/webhook-renewal`)).body;
      const [, renewed, refused] = shownOf(`POST /${renewal}`);
      // Whatever was asked before is forgotten.
      await world.ask('POST', `apps/${app.id}/webhook-renewal`);
      await until('it is asked', async () => (await adapter.calls(renewal)).length > 0);
      await until('it was renewed', async () => (await shown()).expires_at === renewed?.['expires_at']);
      await isShown(renewal);
      await adapter.answer(renewal, { json: refused });
      await world.ask('POST', `apps/${app.id}/webhook-renewal`);
      await until('it is refused', async () => (await shown()).error_detail === refused?.['message']);
    });

    it('has the request by which missed webhooks are asked for, and answers that become events', async () => {
      const shown = async () => (await world.ask<Schema<'MissedAskView'>>('GET', `apps/${app.id}/missed`)).body;
      const [, found, refused] = shownOf(`POST /${missed}`);
      await adapter.forget();
      await adapter.answer('parse-inbound', { json: { ...shownOf('POST /parse-inbound')[0], dedup_key: 'missed' } });
      const since = new Date(Date.now() - 60_000).toISOString();
      await world.ask('POST', `apps/${app.id}/missed`, { since });
      await until('it was asked for', async () => (await shown()).state === 'done');
      expect(await shown()).toMatchObject({ redeliveries: found?.['redeliveries'], stored: 1 });
      await isShown(missed);
      const [request] = (found?.['requests'] ?? []) as { body: string }[];
      await until('it is parsed as a webhook is', async () => {
        const [parsed] = await adapter.calls('parse-inbound');
        return (parsed?.body as { request: { body: string } } | undefined)?.request.body === request?.body;
      });
      // Whoever asked for it knows where it is from.
      expect(await adapter.calls('verify-webhook')).toEqual([]);
      await adapter.answer(missed, { json: refused });
      await world.ask('POST', `apps/${app.id}/missed`, { since });
      await until('it is refused', async () => (await shown()).detail === refused?.['message']);
    });

    it('has refusals, and a handshake, that are understood', async () => {
      const [, , refusedDelivery] = shownOf('POST /deliver');
      expect(refusedDelivery).toMatchObject({ ok: false, error: 'rate_limited' });
      await adapter.answer('verify', { json: shownOf('POST /verify')[2] });
      const { body } = await world.ask<Schema<'VerifiedAppView'>>('POST', `apps/${app.id}/verify`);
      expect(body.checks.find((check) => check.id === 'credentials_accepted')).toMatchObject({ status: 'failed' });
      await adapter.answer('verify-webhook', { json: shownOf('POST /verify-webhook')[2] });
      expect(await world.outcomeOf(app, { forged: true })).toMatchObject({
        outcome: 'refused',
        reason: 'bad_signature',
      });
      const open = await world.adapters.mount('page-handshake', { credentials: [] });
      const waiting = await world.install(open);
      const [, ignored, echoed, whole] = shownOf('POST /parse-inbound');
      const handshake = () => fetch(waiting.webhook_url ?? '', { method: 'POST', body: '{"type":"url_verification"}' });
      await open.answer('parse-inbound', { json: echoed });
      const answer = await handshake();
      expect([answer.status, await answer.text()]).toEqual([200, '3eZbrw1aB10']);
      await open.answer('parse-inbound', { json: whole });
      expect((await handshake()).headers.get('x-acme-echo')).toBe('3eZbrw1aB10');
      await open.answer('parse-inbound', { json: ignored });
      expect(await world.outcomeOf(waiting, { nothing: true })).toMatchObject({ outcome: 'ignored' });
      const [refused] = shownOf('Headers of every call');
      await open.answer('verify', { status: 401, json: refused });
      const verified = await world.ask<Schema<'VerifiedAppView'>>('POST', `apps/${waiting.id}/verify`);
      expect(verified.body).toMatchObject({
        code: 'provider_unavailable',
        error: expect.stringMatching(/ADAPTER_SECRET/),
      });
    });

    it('has the refusal of a folder that is gone', async () => {
      await adapter.answer('sources/list-changes', { json: shownOf('POST /sources/list-changes')[2] });
      const made = { app_id: app.id, name: 'gone', resource_path: 'handbook' };
      const source = await world.api<{ id: string }>('POST', '/api/v1/sources', made);
      await world.ask('POST', `sources/${source.id}/sync`);
      await until('it says so', async () => {
        const { body } = await world.ask<Schema<'SourceView'>>('GET', `sources/${source.id}`);
        return body.sync_failure?.code === 'not_found' && body.sync_failure.error.includes('no folder handbook');
      });
    });
  });
}
