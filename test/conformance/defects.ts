import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import {
  deliverFailure,
  isJsonObject,
  type AdapterDefinition,
  type InboundCall,
  type NormalizedMessage,
} from '#libs/adapter-sdk';
import type { createAcmeAdapter } from '../../libs/adapter-sdk/template/src/acme.adapter.js';

type Acme = ReturnType<typeof createAcmeAdapter>;

export interface Defect {
  /** Called for each instance: its closure is that instance's memory. */
  adapter?: (acme: Acme) => Partial<AdapterDefinition>;
  server?: (app: FastifyInstance) => void;
}

/** Changes the answers on one path. */
const answering = (path: string, change: (answer: Record<string, unknown>) => unknown): Defect => ({
  server: (app) =>
    app.addHook('onSend', async (request, _reply, payload) =>
      request.url === `/acme${path}` && typeof payload === 'string'
        ? JSON.stringify(change(JSON.parse(payload)))
        : payload,
    ),
});

const parsing = (change: (message: NormalizedMessage, call: InboundCall) => NormalizedMessage): Defect => ({
  adapter: (acme) => ({ parseInbound: async (call) => change(await acme.parseInbound(call), call) }),
});

/** Accepts what the adapter rejects with this code. */
const failingOpen = (code: string): Defect => ({
  adapter: (acme) => ({
    verifyWebhook: async (call) => {
      const result = await acme.verifyWebhook(call);
      return !result.ok && result.error === code ? { ok: true, scheme: 'open' } : result;
    },
  }),
});

const status = (from: number, to: number, path: string): Defect => ({
  server: (app) =>
    app.addHook('onSend', async (request, reply, payload) => {
      if (request.url === `/acme${path}` && reply.statusCode === from) reply.code(to);
      return payload;
    }),
});

/** Takes an empty thread_id for the name of a thread. */
const refusingEmptyThread: Defect = {
  server: (app) =>
    app.addHook('onSend', async ({ body }, _reply, payload) => {
      const message = isJsonObject(body) ? body.message : undefined;
      const isEmpty = isJsonObject(message) && message.thread_id === '';
      return isEmpty ? JSON.stringify(deliverFailure('invalid_request', 'there is no such thread')) : payload;
    }),
};

/** Check id, and the adapter's defect that the check must catch. */
export const DEFECTS: [string, Defect][] = [
  ['1.manifest', answering('/manifest.json', (manifest) => ({ ...manifest, category: '' }))],
  ['1.health', answering('/health', (health) => ({ ...health, status: 'ok' }))],
  ['1.slug', answering('/health', (health) => ({ ...health, adapter: 'other' }))],
  ['2.good', { adapter: () => ({ verify: () => ({ ok: false, error: 'auth_failed' }) }) }],
  ['2.bad', { adapter: () => ({ verify: () => ({ ok: true, user: 'anyone' }) }) }],
  ['2.empty', { adapter: (acme) => ({ verify: (call) => (call.credentials.token ? acme.verify(call) : crash()) }) }],
  ['2.provider-down', answering('/verify', (answer) => (answer.ok ? answer : { ok: false, error: 'auth_failed' }))],
  [
    '3.reserialised',
    {
      adapter: (acme) => ({
        verifyWebhook: async (call) => {
          const result = await acme.verifyWebhook(call);
          if (result.ok || !call.request.text.startsWith('{"')) return result;
          const body = Buffer.from(JSON.stringify(JSON.parse(call.request.text.replace(/\ufffd.*$/, '}')), null, 2));
          return acme.verifyWebhook({ ...call, request: { ...call.request, body } });
        },
      }),
    },
  ],
  [
    '3.rotation',
    {
      adapter: (acme) => ({
        verifyWebhook: (call) => {
          const [secret] = [call.credentials.signing_secret].flat();
          return acme.verifyWebhook({ ...call, credentials: { ...call.credentials, signing_secret: secret } });
        },
      }),
    },
  ],
  ['3.missing', failingOpen('missing_signature')],
  ['3.stale', failingOpen('stale_timestamp')],
  ['3.unset', failingOpen('not_configured')],
  ['4.samples', parsing((message) => ({ ...message, sender: 'somebody' }))],
  ['4.unknown', parsing((message) => (message.event_type === 'ignored' ? { ...message, event_type: 'new' } : message))],
  ['4.null', parsing((message, { request }) => (request.text === 'null' ? crash() : message))],
  ['4.empty', parsing((message, { request }) => (request.text === '' ? crash() : message))],
  ['5.own', parsing((message) => ({ ...message, is_bot: message.is_bot && message.metadata?.is_self !== true }))],
  [
    '5.edited',
    parsing((message) => ({ ...message, is_bot: message.is_bot && message.event_type !== 'message_edited' })),
  ],
  ['5.other', parsing((message) => ({ ...message, is_bot: true }))],
  ['6.retries', parsing((message) => ({ ...message, dedup_key: randomUUID() }))],
  ['6.twins', parsing((message, { request }) => ({ ...message, dedup_key: request.text }))],
  ['6.distinct', parsing((message) => ({ ...message, dedup_key: 'message' }))],
  [
    '7.round-trip',
    {
      adapter: (acme) => ({
        deliver: (call) => acme.deliver({ ...call, message: { text: call.message.text } }),
      }),
    },
  ],
  [
    '8.accepted',
    {
      adapter: (acme) => ({
        verifyWebhook: (call) =>
          call.request.text.includes('c0ffee') ? { ok: false, error: 'missing_signature' } : acme.verifyWebhook(call),
      }),
    },
  ],
  ['8.echo', parsing(({ challenge_response: _gone, ...message }) => message)],
  [
    '9.empty',
    {
      adapter: (acme) => ({
        deliver: (call) => (call.message.text ? acme.deliver(call) : { ok: true, message_id: '0' }),
      }),
    },
  ],
  [
    '9.ten-times',
    {
      adapter: (acme) => ({
        deliver: (call) =>
          acme.deliver({ ...call, message: { ...call.message, text: call.message.text.slice(0, 12_000) } }),
      }),
    },
  ],
  [
    '9.attachments',
    {
      adapter: (acme) => ({
        manifest: { ...acme.manifest, message: { ...acme.manifest.message, attachments: true } },
        deliver: (call) => (call.message.attachments ? deliverFailure('unsupported', 'no files') : acme.deliver(call)),
      }),
    },
  ],
  [
    '9.actions',
    {
      adapter: (acme) => ({
        manifest: { ...acme.manifest, features: ['actions'] },
        deliver: (call) => (call.message.actions ? deliverFailure('unsupported', 'no actions') : acme.deliver(call)),
      }),
    },
  ],
  ['9.edit', { adapter: (acme) => ({ manifest: { ...acme.manifest, features: ['edit'] } }) }],
  [
    '9.edit-in-parts',
    {
      adapter: (acme) => ({
        manifest: { ...acme.manifest, features: ['edit'] },
        deliver: (call) => {
          const { edit_of: edited, text } = call.message;
          if (edited === undefined) return acme.deliver(call);
          return { ok: true, message_id: text.length > 100 ? 'another' : edited };
        },
      }),
    },
  ],
  ['9.reactions', { adapter: (acme) => ({ manifest: { ...acme.manifest, features: ['reactions'] } }) }],
  [
    '9.poll',
    {
      adapter: (acme) => ({
        manifest: { ...acme.manifest, connect: { kind: 'poll' } },
        poll: () => ({ ok: true, events: [{ id: 'always', body: '{}' }], cursor: '1' }),
      }),
    },
  ],
  [
    '9.typing',
    {
      adapter: (acme) => ({
        manifest: { ...acme.manifest, features: ['typing'] },
        indicate: () => deliverFailure('unsupported', 'nothing is shown'),
      }),
    },
  ],
  ['9.no-thread', refusingEmptyThread],
  ['9.rate-limited', answering('/deliver', ({ error_detail: _gone, ...answer }) => answer)],
  [
    '9.unauthorized',
    answering('/deliver', (answer) => (answer.error === 'auth_failed' ? deliverFailure('timeout', 'x') : answer)),
  ],
  ['9.resume', { adapter: (acme) => ({ deliver: ({ from_part: _gone, ...call }) => acme.deliver(call) }) }],
  ['10.golden', { adapter: (acme) => ({ format: async (call) => ({ ...(await acme.format(call)), lossy: [] }) }) }],
  ['10.plain', answering('/format', (answer) => ({ ...answer, text: String(answer.text).replaceAll('\n\n', '\n') }))],
  ['10.pure', answering('/format', (answer) => ({ ...answer, at: randomUUID() }))],
  [
    '10.broadcast',
    answering('/format', (answer) => ({ ...answer, text: String(answer.text).replaceAll('\u200b', '') })),
  ],
  ['10.parts', answering('/format', (answer) => ({ ...answer, parts: [answer.text] }))],
  ['11.changes', answering('/sources/list-changes', ({ full: _gone, ...answer }) => answer)],
  ['11.stable', answering('/sources/list-changes', (answer) => (answer.cursor ? { ...answer, full: true } : answer))],
  ['11.bogus-cursor', sourceAnswer('cursor_expired')],
  ['11.missing-root', sourceAnswer('not_found')],
  ['12.parsing', { adapter: (acme) => withKeyOfInstance(acme, randomUUID()) }],
  ['12.delivering', { adapter: (acme) => withProgressInMemory(acme, new Map()) }],
  [
    '10.credentials',
    {
      adapter: (acme) => ({
        format: async (call) => ({ ...(await acme.format(call)), lossy: Object.keys(call.credentials) }),
      }),
    },
  ],
  [
    '13.answers',
    {
      adapter: (acme) => ({
        format: async (call) => {
          const answer = await acme.format(call);
          return call.text === 'hello' ? { ...answer, lossy: [String(call.credentials.token)] } : answer;
        },
      }),
    },
  ],
  [
    '13.answers',
    {
      adapter: (acme) => ({
        verify: async (call) => ({
          ...(await acme.verify(call)),
          message: `asked with ${String(call.credentials.token)}`,
        }),
      }),
    },
  ],
  [
    '13.log',
    {
      adapter: (acme) => ({
        verify: (call) => {
          call.context.log.info({ credentials: call.credentials });
          return acme.verify(call);
        },
      }),
    },
  ],
  ['14.accounts', { adapter: (acme) => withAccountInVariable(acme) }],
  ['15.method', status(405, 404, '/verify')],
  ['15.path', status(404, 200, '/no-such-path')],
  ['15.mcp', { server: (app) => app.get('/acme/mcp', async () => ({ tools: [] })) }],
  [
    '15.unknown-fields',
    {
      server: (app) =>
        app.addHook('preHandler', async (request, reply) =>
          String(request.body).includes('unknown_field') ? reply.code(400).send({ error: 'strict' }) : undefined,
        ),
    },
  ],
  ['15.malformed', status(400, 500, '/verify')],
];

function crash(): never {
  throw new Error('the adapter has a defect');
}

function sourceAnswer(instead: string): Defect {
  return answering('/sources/list-changes', (answer) =>
    answer.error === instead ? { changes: [], cursor: 'whole:empty', full: true } : answer,
  );
}

function withKeyOfInstance(acme: Acme, instance: string): Partial<AdapterDefinition> {
  return {
    parseInbound: async (call) => {
      const message = await acme.parseInbound(call);
      return { ...message, ...(message.dedup_key && { dedup_key: `${instance}:${message.dedup_key}` }) };
    },
  };
}

function withProgressInMemory(acme: Acme, progress: Map<string, number>): Partial<AdapterDefinition> {
  return {
    deliver: async (call) => {
      const key = call.idempotency_key ?? '';
      const from_part = call.from_part === undefined ? 0 : (progress.get(key) ?? 0);
      const result = await acme.deliver({ ...call, from_part });
      if (!result.ok) progress.set(key, result.delivered_parts ?? 0);
      return result;
    },
  };
}

function withAccountInVariable(acme: Acme): Partial<AdapterDefinition> {
  let account = {};
  return {
    verify: async (call) => {
      account = call.credentials;
      await sleep(5);
      return acme.verify({ ...call, credentials: account });
    },
  };
}
