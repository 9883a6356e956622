import { terminalOutcomes } from '#libs/contracts';
import { until } from '#libs/testing';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { InstalledApp } from './api.js';
import { startSmallSystem, type System } from './system.js';
import { hmac, post } from './webhook.js';

const index = createRequire(import.meta.url).resolve('@octokit/webhooks-examples/api.github.com/index.json');
const events = JSON.parse(readFileSync(index, 'utf8')) as { name: string; examples: object[] }[];
const payloads = events.flatMap(({ name, examples }) => examples.map((payload) => ({ name, payload })));

describe('real payloads of a provider', () => {
  let system: System;

  beforeAll(async () => {
    system = await startSmallSystem();
  });
  afterAll(() => system.stop());

  /** Posts every payload, a few at a time, and waits until each event has ended. */
  const sendAll = async (app: InstalledApp, secret: string): Promise<(string | null)[]> => {
    const waiting = payloads.entries();
    const ids: string[] = [];
    const sendSome = async (): Promise<void> => {
      for (const [index, { name, payload }] of waiting) {
        const body = JSON.stringify(payload);
        const answer = await post(app.webhook_url, body, {
          'x-github-event': name,
          'x-github-delivery': `delivery-${index}`,
          'x-signature-256': hmac(secret, body),
        });
        if (answer.status !== 200) throw new Error(`${name} was answered ${answer.status}`);
        ids.push(answer.id);
      }
    };
    await Promise.all([sendSome(), sendSome(), sendSome(), sendSome()]);
    return until('every payload has ended', async () => {
      const outcomes = await system.outcomesOf(app.id);
      return ids.every((id) => typeof outcomes.get(id) === 'string') && ids.map((id) => outcomes.get(id) ?? null);
    });
  };

  it('are more than 200, so that these tests mean something', () => {
    expect(payloads.length).toBeGreaterThan(200);
  });

  it('are all accepted by the built-in App, and reach an agent', async () => {
    const secret = 'what the provider was given';
    const app = await system.api<InstalledApp>('POST', '/api/v1/apps', {
      name: 'payloads',
      kind: 'builtin',
      credential_id: await system.credential({ signing_secret: secret }),
      signature: { scheme: 'hmac' },
    });
    expect(new Set(await sendAll(app, secret))).toEqual(new Set(['routed']));
  });

  it('are all accepted through an adapter, and end in a named outcome', async () => {
    const secret = 'what the provider was given';
    const url = `${system.origin('adapters')}/generic`;
    const adapter = await system.api<{ id: string }>('POST', '/api/v1/adapters', { url });
    const mapping =
      '{"message":["/comment/body","/issue/title","/pull_request/title","/action"],"sender":"/sender/login"}';
    const app = await system.api<InstalledApp>('POST', '/api/v1/apps', {
      name: 'payloads by an adapter',
      kind: 'adapter',
      adapter_id: adapter.id,
      credential_id: await system.credential({ signing_secret: secret, field_mapping: mapping }),
    });
    await system.api('PUT', `/api/v1/channels/${app.id}`, { unknown_senders: 'open' });
    const outcomes = await sendAll(app, secret);
    expect(terminalOutcomes).toEqual(expect.arrayContaining([...new Set(outcomes)]));
    expect(outcomes).not.toContain('dead');
    expect(outcomes).toContain('routed');
  });
});
