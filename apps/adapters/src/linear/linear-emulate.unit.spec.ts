import { LinearWebhookClient } from '@linear/sdk/webhooks';
import { freePort, until } from '#libs/testing';
import { createEmulator, type Emulator } from 'emulate';
import type { JsonObject } from '#libs/adapter-sdk';
import { type AdapterHost, hostAdapter } from '../testing/adapter-host.js';
import { type ProviderServer, startProviderServer } from '../testing/provider-server.js';
import { createLinearAdapter } from './linear.adapter.js';

const secret = 'lin_wh_0123456789abcdef0123456789abcdef';
const credentials = { token: 'lin_test_agent', signing_secret: secret };

let linear: Emulator;
/** Between the adapter and the emulator, which knows neither ids of clients nor threads. */
let door: ProviderServer;
let hook: ProviderServer;
let adapter: AdapterHost;
const asked: JsonObject[] = [];

beforeAll(async () => {
  const users = [
    { email: 'ada@example.com', name: 'Ada' },
    { email: 'agent@example.com', name: 'Agent' },
  ];
  const tokens = ['ada', 'agent'].map((name) => ({
    token: `lin_test_${name}`,
    user: `${name}@example.com`,
    scopes: ['read', 'write', 'admin'],
  }));
  const seed = { linear: { users, teams: [{ key: 'ENG', name: 'Engineering' }], tokens } };
  linear = await createEmulator({ service: 'linear', port: await freePort(), seed });
  hook = await startProviderServer();
  door = await startProviderServer(async ({ headers, fields }) => {
    const variables = structuredClone(fields.variables ?? {}) as { input?: JsonObject };
    asked.push({ ...variables });
    if (variables.input) variables.input = { issueId: variables.input.issueId, body: variables.input.body };
    return await graphql(String(headers.authorization), { ...fields, variables });
  });
  adapter = await hostAdapter((http) => createLinearAdapter({ ...http, apiUrl: door.url }));
  await as('ada', 'mutation($input: WebhookCreateInput!) { webhookCreate(input: $input) { success } }', {
    input: { url: hook.url, resourceTypes: ['Issue', 'Comment'], allPublicTeams: true, secret, enabled: true },
  });
});
afterAll(async () => {
  await adapter.close();
  await linear.close();
  await Promise.all([door.close(), hook.close()]);
});

async function graphql(authorization: string, body: object): Promise<{ status: number; body: JsonObject }> {
  const answer = await fetch(`${linear.url}/graphql`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as JsonObject };
}

async function as(name: string, query: string, variables: object = {}): Promise<JsonObject> {
  const { body } = await graphql(`Bearer lin_test_${name}`, { query, variables });
  if (body.errors !== undefined) throw new Error(JSON.stringify(body.errors));
  return body.data as JsonObject;
}

/** What the adapter makes of the webhook with this text, which the emulator has signed. */
async function received(text: string) {
  const last = await until('a webhook came', () => hook.seen.find((request) => request.text.includes(text)) ?? null);
  const request = { headers: last.headers, body: last.text };
  const theirs = new LinearWebhookClient(secret);
  return {
    accepted: theirs.verify(Buffer.from(last.text), String(last.headers['linear-signature'])),
    verified: await adapter.call('verify-webhook', { credentials, request }),
    forged: await adapter.call('verify-webhook', { credentials, request: { ...request, body: `${last.text} ` } }),
    parsed: await adapter.call('parse-inbound', { credentials, self: await self(), request }),
  };
}

const self = async () => (await adapter.call('verify', { credentials })).account as JsonObject;

async function openIssue(title: string): Promise<string> {
  const { teams } = (await as('ada', '{ teams { nodes { id } } }')) as { teams: { nodes: { id: string }[] } };
  const input = { teamId: teams.nodes[0]?.id, title, description: 'Every time.' };
  const query = 'mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }';
  const { issueCreate } = (await as('ada', query, { input })) as { issueCreate: { issue: { id: string } } };
  return issueCreate.issue.id;
}

describe('against an emulated Linear', () => {
  it('knows whose key it is', async () => {
    expect(await adapter.call('verify', { credentials })).toMatchObject({ ok: true, user: 'Agent' });
  });

  it('hears an issue, answers it, hears the person below, and knows its own words', async () => {
    const issue = await openIssue('The build fails');
    const { accepted, verified, forged, parsed } = await received('The build fails');
    expect([accepted, verified.ok, forged.ok]).toEqual([true, true, false]);
    expect(parsed).toMatchObject({
      event_type: 'issue_opened',
      message: 'The build fails\n\nEvery time.',
      is_bot: false,
      metadata: { channel_address: issue, sender: { name: 'Ada' } },
    });
    const message = { text: 'It is **red**.' };
    const sent = await adapter.call('deliver', {
      credentials,
      channel_address: issue,
      message,
      idempotency_key: 'key',
    });
    expect(sent).toMatchObject({ ok: true, thread_id: sent.message_id });
    expect((await received('It is **red**.')).parsed).toMatchObject({ is_bot: true, metadata: { is_self: true } });

    const query = 'mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success } }';
    await as('ada', query, { input: { issueId: issue, body: 'Why?' } });
    expect((await received('Why?')).parsed).toMatchObject({
      event_type: 'issue_comment',
      message: 'Why?',
      is_bot: false,
      metadata: { channel_address: issue },
    });
  });
});

describe('a comment', () => {
  const deliver = (more: JsonObject = {}) =>
    adapter.call('deliver', { credentials, channel_address: 'ENG-1', idempotency_key: 'one', ...more });

  it('has an id of its delivery, by which it is found, and is in the thread of what it answers', async () => {
    const thread = '7d9a2f0e-6a43-4a7b-8a55-0a9b1c2d3e4f';
    const text = 'word '.repeat(2_500).trim();
    asked.splice(0);
    await deliver({ message: { text, thread_id: thread } });
    await deliver({ message: { text, thread_id: thread } });
    const inputs = asked.map(({ input }) => input as { id: string; parentId: string });
    expect(new Set(inputs.map(({ parentId }) => parentId))).toEqual(new Set([thread]));
    expect(inputs.map(({ id }) => id).slice(0, 2)).toEqual(inputs.map(({ id }) => id).slice(2));
    expect(new Set(inputs.map(({ id }) => id)).size).toBe(2);
    asked.splice(0);
    await adapter.call('deliver/lookup', { credentials, channel_address: 'ENG-1', idempotency_key: 'one' });
    expect(asked).toEqual([{ id: inputs[1]?.id }]);
  });

  it('that Linear refuses since an earlier attempt made it counts as sent', async () => {
    const answer = door.answer;
    door.answer = ({ headers, fields }) => {
      const { id } = (fields.variables as { id?: string }) ?? {};
      if (headers['x-apollo-operation-name'] === 'CommentById') return { body: { data: { comment: { id } } } };
      const errors = [{ message: 'private', extensions: { type: 'invalid input' } }];
      return { status: 400, body: { errors } };
    };
    expect(await deliver({ message: { text: 'x' } })).toMatchObject({ ok: true });
    door.answer = answer;
    expect(await deliver({ channel_address: 'nowhere', message: { text: 'x' } })).toMatchObject({
      error: 'invalid_request',
    });
  });
});
