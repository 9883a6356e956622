import fc from 'fast-check';
import { pino } from 'pino';
import { createAdapterServer } from '#libs/adapter-sdk';
import { createGmailAdapter } from '../gmail/gmail.adapter.js';
import { createSendgridAdapter } from '../sendgrid/sendgrid.adapter.js';

const CANARY = 'canary-c07f55-secret';
const offline = { fetch: () => Promise.reject(new Error('receiving makes no call')), timeoutMs: 1 };
const app = createAdapterServer([createGmailAdapter(offline), createSendgridAdapter(offline)], {
  version: 'test',
  logger: pino({ level: 'silent' }),
});

const anything = fc.oneof(fc.jsonValue(), fc.string(), fc.constant(null));
const some = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] });
const header = some({
  name: fc.constantFrom('From', 'To', 'Message-ID', 'References', 'Content-Type'),
  value: anything,
});
const part = some({
  mimeType: fc.oneof(fc.constantFrom('text/plain', 'text/html', 'multipart/mixed'), anything),
  filename: anything,
  headers: fc.oneof(fc.array(header), anything),
  body: fc.oneof(some({ data: fc.base64String(), attachmentId: anything, size: anything }), anything),
  parts: fc.oneof(fc.array(anything), anything),
});

/** Documents that are almost what the providers send. */
const DOCUMENTS: Record<string, fc.Arbitrary<string>> = {
  'a message resource': some({
    id: fc.oneof(fc.string(), anything),
    threadId: fc.oneof(fc.string(), anything),
    labelIds: fc.oneof(fc.array(fc.constantFrom('SENT', 'INBOX', 'DRAFT')), anything),
    internalDate: anything,
    raw: fc.oneof(fc.base64String(), anything),
    payload: fc.oneof(part, anything),
  }).map((value) => JSON.stringify(value)),
  'a push': some({
    message: fc.oneof(some({ data: fc.oneof(fc.base64String(), anything), publishTime: anything }), anything),
    emailAddress: anything,
    historyId: anything,
  }).map((value) => JSON.stringify(value)),
  events: fc
    .array(
      fc.oneof(
        some({
          event: fc.constantFrom('delivered', 'bounce'),
          email: fc.string(),
          timestamp: anything,
          sg_message_id: anything,
        }),
        anything,
      ),
    )
    .map((value) => JSON.stringify(value)),
  'a form': fc
    .array(
      fc.tuple(
        fc.constantFrom('headers', 'email', 'envelope', 'charsets', 'text', 'html', 'subject'),
        fc.oneof(fc.string(), fc.json()),
      ),
    )
    .map(
      (fields) =>
        fields
          .map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
          .join('') + '--b--',
    ),
  'a mail': fc
    .string({ maxLength: 400 })
    .map((text) => `--b\r\nContent-Disposition: form-data; name="email"\r\n\r\n${text}\r\n--b--`),
  text: fc.oneof(fc.string(), fc.json()),
};
const TYPES = [
  'multipart/form-data; boundary=b',
  'multipart/form-data',
  'application/x-www-form-urlencoded',
  'application/json',
];

describe.each(['gmail', 'sendgrid'])('any input to %s', (slug) => {
  it.each(Object.keys(DOCUMENTS))('as %s is answered with JSON, without a secret', async (kind) => {
    await fc.assert(
      fc.asyncProperty(
        DOCUMENTS[kind] ?? fc.string(),
        fc.constantFrom(...TYPES),
        fc.constantFrom('parse-inbound', 'verify-webhook'),
        async (body, contentType, route) => {
          const headers = { 'content-type': contentType, authorization: `Bearer ${CANARY}` };
          const answer = await app.inject({
            method: 'POST',
            url: `/${slug}/${route}`,
            payload: {
              credentials: { token: CANARY, from_email: CANARY, event_public_key: CANARY, pubsub_audience: CANARY },
              request: { headers, body },
              self: { email: 'agent@example.com' },
            },
          });
          expect(answer.statusCode).toBeLessThan(500);
          expect(answer.headers['content-type']).toMatch(/^application\/json/);
          expect(answer.body).not.toContain(CANARY);
        },
      ),
      { numRuns: 150 },
    );
  });
});
