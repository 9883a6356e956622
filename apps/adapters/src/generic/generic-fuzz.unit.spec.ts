import fc from 'fast-check';
import { pino } from 'pino';
import { createAdapterServer } from '#libs/adapter-sdk';
import { createGenericAdapter } from './generic.adapter.js';

const CANARY = 'canary-2b77d0-secret';
const BODY = '{ "id": "42", "sender": "jane", "message": "hi" }';

const app = createAdapterServer(
  [createGenericAdapter({ fetch: () => Promise.reject(new Error('receiving makes no call')) })],
  { version: 'test', logger: pino({ level: 'silent' }) },
);

async function call(route: string, payload: unknown) {
  const answer = await app.inject({ method: 'POST', url: `/generic/${route}`, payload: payload as object });
  return { status: answer.statusCode, text: answer.body };
}

describe('any input', () => {
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.anything({ maxDepth: 3 }).filter((value) => isPlain(value)),
    fc.string(),
  );
  const envelope = fc.record(
    {
      credentials: fc.oneof(anything, fc.record({ signing_secret: anything, mapping: anything })),
      request: fc.oneof(
        anything,
        fc.record({
          method: anything,
          headers: fc.oneof(
            anything,
            fc.record({
              'webhook-id': anything,
              'webhook-timestamp': anything,
              'webhook-signature': anything,
              'x-signature-256': anything,
            }),
          ),
          body: fc.oneof(anything, fc.json()),
          body_encoding: fc.constantFrom('utf8', 'base64', 'x'),
        }),
      ),
      received_at: anything,
      self: anything,
      headers: anything,
      body: anything,
      payload: anything,
    },
    { requiredKeys: [] },
  );

  it.each(['parse-inbound', 'verify-webhook'])('%s answers JSON below 500', async (route) => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(envelope, anything), async (body) => {
        const payload = JSON.stringify(body) ?? 'null';
        const answer = await app.inject({
          method: 'POST',
          url: `/generic/${route}`,
          headers: { 'content-type': 'application/json' },
          payload,
        });
        expect(answer.statusCode).toBeLessThan(500);
        expect(answer.headers['content-type']).toMatch(/^application\/json/);
      }),
      { numRuns: 400 },
    );
  });

  it('leaks a secret in no answer', async () => {
    const credentials = { signing_secret: CANARY, token: CANARY, mapping: { [CANARY]: CANARY } };
    const request = { headers: { 'x-signature-256': 'sha256=00' }, body: BODY };
    for (const route of ['verify', 'verify-webhook', 'parse-inbound', 'deliver', 'format', 'unknown']) {
      expect(
        (await call(route, { credentials, request, text: 'x', channel_address: 'x', message: { text: 'x' } })).text,
      ).not.toContain(CANARY);
    }
  });
});

function isPlain(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
