import { createRequire } from 'node:module';
import { sign, verify } from '@octokit/webhooks-methods';
import { checkAnswer, isJsonObject, signHmac, type JsonObject } from '#libs/adapter-sdk';
import { hostAdapter, type AdapterHost } from '../testing/adapter-host.js';
import { createGithubAdapter } from './github.adapter.js';

const SECRET = "It's a Secret to Everybody";
const credentials = { signing_secret: SECRET };
const examples: { name: string; examples: JsonObject[] }[] = createRequire(import.meta.url)(
  '@octokit/webhooks-examples',
);

let adapter: AdapterHost;
beforeAll(async () => {
  adapter = await hostAdapter(createGithubAdapter);
});
afterAll(() => adapter.close());

const HANDLED = [
  'issues',
  'issue_comment',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'push',
  'ping',
  'commit_comment',
  'discussion',
  'discussion_comment',
  'workflow_run',
  'check_run',
  'release',
  'deployment_status',
  'repository',
  'dependabot_alert',
  'repository_vulnerability_alert',
  'code_scanning_alert',
];

describe("every example of Octokit's collection", () => {
  it('is present', () => {
    expect(examples.flatMap((event) => event.examples)).toHaveLength(329);
  });

  it.each(examples.map((event) => [event.name, event] as const))('%s is verified and parsed', async (name, event) => {
    for (const payload of event.examples) {
      const body = JSON.stringify(payload);
      const signature = await sign(SECRET, body);
      expect(await verify(SECRET, body, `sha256=${signHmac(SECRET, body)}`)).toBe(true);
      const request = { headers: { 'X-GitHub-Event': name, 'X-Hub-Signature-256': signature }, body };
      expect(await adapter.call('verify-webhook', { credentials, request })).toMatchObject({ ok: true });
      const forged = { ...request, body: `${body} ` };
      expect(await adapter.call('verify-webhook', { credentials, request: forged })).toMatchObject({
        error: 'bad_signature',
      });
      const parsed = await adapter.call('parse-inbound', { credentials, request });
      checkAnswer('parse-inbound', parsed);
      if (!HANDLED.includes(name)) expect(parsed.event_type).toBe('ignored');
      const sender = isJsonObject(payload.sender) ? payload.sender : {};
      if (sender.type === 'Bot') expect(parsed).toMatchObject({ is_bot: false, metadata: { from_bot: true } });
      if (parsed.event_type === 'ignored' || name === 'ping') continue;
      expect(parsed.dedup_key).toMatch(/^github:/);
      expect(parsed.sender).toBe(sender.login);
    }
  });

  it('gives different messages different keys, and each kind one event type', async () => {
    const keys = new Map<unknown, string>();
    const types = new Set<unknown>();
    for (const { name, examples: payloads } of examples.filter((event) => HANDLED.includes(event.name))) {
      for (const payload of payloads) {
        const request = { headers: { 'x-github-event': name }, body: JSON.stringify(payload) };
        const parsed = await adapter.call('parse-inbound', { credentials, request });
        types.add(parsed.event_type);
        if (parsed.dedup_key === undefined) continue;
        // Two examples are one comment on a commit: once on a line, once on none.
        const thread = String(parsed.thread_id).replace(/:line:.*$/, '');
        const content = JSON.stringify([parsed.event_type, thread]);
        expect(keys.get(parsed.dedup_key) ?? content).toBe(content);
        keys.set(parsed.dedup_key, content);
      }
    }
    expect([...types]).toEqual(
      expect.arrayContaining([
        'issue_opened',
        'issue_comment',
        'pull_request_opened',
        'review_comment',
        'message_edited',
        'message_deleted',
        'push',
        'ping',
      ]),
    );
  });

  it('is also understood as a form', async () => {
    const payload = examples.find(({ name }) => name === 'issue_comment')?.examples[0] ?? {};
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    const headers = { 'x-github-event': 'issue_comment', 'x-hub-signature-256': await sign(SECRET, body) };
    expect(await adapter.call('verify-webhook', { credentials, request: { headers, body } })).toMatchObject({
      ok: true,
    });
    expect(await adapter.call('parse-inbound', { credentials, request: { headers, body } })).not.toMatchObject({
      event_type: 'ignored',
    });
  });

  it('accepts the signature that GitHub documents', async () => {
    const request = {
      headers: { 'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' },
      body: 'Hello, World!',
    };
    expect(await adapter.call('verify-webhook', { credentials, request })).toEqual({
      ok: true,
      scheme: 'github-sha256',
    });
  });
});
