/**
 * The adapter of an imagined messenger, Courier. It was written from `docs/adapter-contract.md` alone, in plain Node:
 * nothing of this repository is imported, and nothing is here that the page does not show. `PORT` is where it listens,
 * `COURIER_API_URL` the messenger. Each call is logged as one line of JSON.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { PORT = '8080', COURIER_API_URL, GATEHOUSE_ADAPTER_SECRET = '', BUILD = 'unknown' } = process.env;
const maxLength = 400;
const toleranceSeconds = 300;

const manifest = {
  schema_version: '1.0',
  slug: 'courier',
  name: 'Courier',
  description: 'Receives the messages of Courier and answers in their threads.',
  icon: 'mail',
  category: 'communication',
  capabilities: ['send', 'receive'],
  credentials: [
    { key: 'COURIER_TOKEN', type: 'api_key', label: 'Token', maps_to: 'token' },
    { key: 'COURIER_SIGNING', type: 'text', label: 'Signing secret', maps_to: 'signing_secret' },
  ],
  setup_instructions: ['Make a token at Courier.', 'Give Courier the Webhook URL.'],
  author: { name: 'Courier', url: 'https://courier.example' },
  message: { max_length: maxLength, formats: ['markdown', 'plain'], threads: true, lookup: true },
  features: ['typing'],
  events: [{ type: 'message_received', description: 'A message in a room' }],
  webhook: { renew_seconds: 86_400, missed_since: true },
  connect: { kind: 'poll', keeps_seconds: 86_400 },
};

/** A call of Courier that brought nothing, as `/deliver` says it. */
class Failure extends Error {
  constructor(code, message, detail = {}) {
    super(message);
    this.code = code;
    this.detail = { message, ...detail };
  }
}

const codes = { 401: 'auth_failed', 403: 'permission_denied', 404: 'not_found', 429: 'rate_limited' };

async function courier(credentials, method, path, body) {
  const answer = await fetch(`${COURIER_API_URL}${path}`, {
    method,
    headers: { authorization: `Bearer ${credentials.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error) => {
    throw new Failure('provider_unavailable', `Courier does not answer: ${error.message}`, { retryable: true });
  });
  if (answer.ok) return answer;
  const code = codes[answer.status] ?? (answer.status >= 500 ? 'provider_unavailable' : 'invalid_request');
  const after = answer.headers.get('retry-after');
  throw new Failure(code, `Courier answered ${answer.status}`, {
    retryable: code === 'rate_limited' || code === 'provider_unavailable',
    provider_status: answer.status,
    ...(after === null ? {} : { retry_after: Number(after) }),
  });
}

const bytesOf = ({ body, body_encoding: encoding }) => Buffer.from(body, encoding === 'base64' ? 'base64' : 'utf8');

function isSame(one, other) {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function verifyWebhook({ credentials, request, received_at: receivedAt }) {
  const secrets = [credentials.signing_secret ?? []].flat();
  if (secrets.length === 0) return { ok: false, error: 'not_configured', message: 'no signing_secret is set' };
  const [time, signature] = String(request.headers['courier-signature'] ?? '').split(',');
  if (!signature) return { ok: false, error: 'missing_signature', message: 'courier-signature is missing' };
  if (Math.abs(Date.parse(receivedAt) / 1000 - Number(time)) > toleranceSeconds)
    return { ok: false, error: 'stale_timestamp', message: `signed at ${time}` };
  const sign = (secret) => createHmac('sha256', secret).update(`${time}.`).update(bytesOf(request)).digest('hex');
  if (secrets.some((secret) => isSame(sign(secret), signature))) return { ok: true, scheme: 'courier' };
  return { ok: false, error: 'bad_signature', message: 'courier-signature does not match the body' };
}

function parseInbound({ request, self }) {
  const event = JSON.parse(bytesOf(request).toString('utf8'));
  const nothing = { event_type: 'ignored', sender: 'courier', message: '', is_bot: false };
  if (event.kind === 'url_verification')
    return { ...nothing, event_type: 'challenge', challenge_response: event.challenge };
  if (event.kind !== 'message') return nothing;
  return {
    event_type: event.about ?? 'message_received',
    sender: event.author.id,
    message: event.text,
    is_bot: self !== undefined && event.author.id === self.id,
    is_dm: event.room === event.author.id,
    dedup_key: `courier:${event.id}`,
    thread_id: event.thread ?? event.id,
    metadata: { channel_address: event.room, message_id: event.id, sender: { name: event.author.name } },
  };
}

async function deliver({ credentials, channel_address: room, message, idempotency_key: key }) {
  try {
    const sent = { text: message.text, thread: message.thread_id, key };
    const { id } = await (
      await courier(credentials, 'POST', `/rooms/${encodeURIComponent(room)}/messages`, sent)
    ).json();
    return { ok: true, message_id: id, thread_id: message.thread_id, channel_address: room };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ok: false, error: error.code, error_detail: error.detail, delivered_parts: 0, parts: [] };
  }
}

/** What Courier refuses is an answer; that it does not answer is a 503. */
async function orRefusal(work) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'provider_unavailable') throw error;
    return { ok: false, error: error.code, message: error.message };
  }
}

const routes = {
  'GET /manifest.json': () => manifest,
  'GET /health': () => ({ status: 'ready', version: BUILD, adapter: 'courier' }),
  'POST /verify': async ({ credentials }) => {
    try {
      const me = await (await courier(credentials, 'GET', '/me')).json();
      return { ok: true, user: me.name, account: { id: me.id, username: me.name } };
    } catch (error) {
      return { ok: false, error: error.code ?? 'provider_unavailable' };
    }
  },
  'POST /verify-webhook': verifyWebhook,
  'POST /parse-inbound': parseInbound,
  'POST /format': ({ text, mode }) => {
    const bold = mode === 'plain' ? '$1' : '*$1*';
    return { text: text.replace(/\*\*([^*]+)\*\*/g, bold), format: mode === 'plain' ? 'plain' : 'native' };
  },
  'POST /deliver': deliver,
  'POST /deliver/lookup': async ({ credentials, idempotency_key: key }) => {
    const { id } = await (await courier(credentials, 'GET', `/messages?key=${encodeURIComponent(key)}`)).json();
    return id === null ? { found: false } : { found: true, message_id: id };
  },
  'POST /indicate': async ({ credentials, channel_address: room, state }) => {
    try {
      await courier(credentials, 'PUT', `/writing/${encodeURIComponent(room)}`, { state });
      return { ok: true };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { ok: false, error: error.code, message: error.message };
    }
  },
  'POST /poll': async ({ credentials, cursor = '0' }) => {
    try {
      const { events } = await (await courier(credentials, 'GET', `/events?after=${cursor}`)).json();
      return { ok: true, events, cursor: String(Number(cursor) + events.length) };
    } catch (error) {
      return { ok: false, error: error.code ?? 'provider_unavailable', error_detail: error.detail };
    }
  },
  'POST /renew-webhook': async ({ credentials, webhook_url: url }) => {
    try {
      const { until } = await (await courier(credentials, 'PUT', '/subscription', { url })).json();
      return { ok: true, expires_at: until };
    } catch (error) {
      return { ok: false, error: error.code ?? 'provider_unavailable', message: error.message };
    }
  },
  'POST /missed-since': ({ credentials, since, until }) =>
    orRefusal(async () => {
      const query = `since=${encodeURIComponent(since)}&until=${encodeURIComponent(until)}`;
      const { events } = await (await courier(credentials, 'GET', `/undelivered?${query}`)).json();
      return { ok: true, requests: events.map(({ id, body }) => ({ id: `courier:${id}`, body })), has_more: false };
    }),
  'POST /sources/list-changes': ({ credentials, resource_path: folder, cursor }) =>
    orRefusal(async () => {
      const query = `folder=${encodeURIComponent(folder)}&after=${encodeURIComponent(cursor ?? '')}`;
      const { pages, next, more } = await (await courier(credentials, 'GET', `/pages?${query}`)).json();
      const changes = pages.map(({ name, mark, state }) => ({ path: name, fingerprint: mark, status: state }));
      return { changes, cursor: next, has_more: more };
    }),
  'POST /sources/fetch-file': ({ credentials, file_path: name }) =>
    orRefusal(async () => {
      const answer = await courier(credentials, 'GET', `/pages/${encodeURIComponent(name)}`);
      return Buffer.from(await answer.arrayBuffer());
    }),
};

/** The platform's signature, as Standard Webhooks has it: each secret is base64 behind `whsec_`. */
function isPlatform({ headers }, body) {
  const secrets = GATEHOUSE_ADAPTER_SECRET.split(',').filter((secret) => secret !== '');
  if (secrets.length === 0) return true;
  const time = Number(headers['webhook-timestamp']);
  if (!(Math.abs(Date.now() / 1000 - time) <= toleranceSeconds)) return false;
  const signatures = String(headers['webhook-signature'] ?? '').split(' ');
  return secrets.some((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`;
    const wanted = `v1,${createHmac('sha256', key).update(content).update(body).digest('base64')}`;
    return signatures.some((signature) => isSame(signature, wanted));
  });
}

async function answerTo(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const route = `${request.method} ${String(request.url).replace(/^\/courier/, '')}`;
  const handler = routes[route];
  if (!handler) return { route, status: 404, value: { error: 'not_found' } };
  if (request.method === 'GET') return { route, status: 200, value: handler() };
  if (!isPlatform(request, body)) {
    const message = 'platform call refused: the signature is not of a secret that is known here';
    return { route, status: 401, value: { error: 'bad_signature', message } };
  }
  return { route, status: 200, value: await handler(JSON.parse(body.toString('utf8'))) };
}

const server = createServer((request, response) => {
  void answerTo(request)
    .catch((error) => ({ route: request.url, status: 503, value: { error: String(error.message) } }))
    .then(({ route, status, value }) => {
      console.log(JSON.stringify({ route, status, organization: request.headers['x-organization-id'] }));
      if (Buffer.isBuffer(value))
        return response.writeHead(status, { 'content-type': 'application/octet-stream' }).end(value);
      return response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    });
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(JSON.stringify({ listening: server.address().port })));
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
