/**
 * Adapters in plain Node, written from the channel adapter contract alone: without the SDK, with only `node:http`. Each
 * is mounted under its slug, answers what the contract shows and no more, and records every call. It is controlled over
 * HTTP: `PUT /_control/<slug>` mounts one, `PUT /_control/<slug>/answers/<route>` sets an answer, `GET` and `DELETE
 * /_control/<slug>/calls` read and clear its calls, `PUT /_control/<slug>/files` sets its documents.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

/** The unique field that marks messages sent from here (contract 4.2, generic webhook). */
const originField = 'sent_by_contract_adapter';

/** @type {Map<string, {slug: string, manifest: object, scripts: Map<string, object[]>, calls: object[], files: Map<string, string>}>} */
const adapters = new Map();

/** The manifest of contract 2.1 and 2.2, with one credential of each type. */
function manifestOf(slug, changes) {
  return {
    schema_version: '1.0',
    slug,
    name: 'Contract',
    description: 'A platform that is known from the contract alone.',
    icon: 'plug',
    category: 'communication',
    capabilities: ['send', 'receive'],
    credentials: [
      { key: 'CONTRACT_TOKEN', type: 'api_key', label: 'Token', maps_to: 'token' },
      { key: 'CONTRACT_SECRETS', type: 'text', label: 'Signing secret', maps_to: 'signing_secret' },
    ],
    setup_instructions: ['Make a token.', 'Paste the webhook URL into the platform.'],
    author: { name: 'Contract', url: 'https://contract.example' },
    ...changes,
  };
}

/** The answers of contract 4.1's endpoints, unless an answer was set. */
const endpoints = {
  'GET manifest.json': ({ manifest }) => manifest,
  'GET health': ({ slug }) => ({ status: 'ready', version: 'unknown', adapter: slug }),
  'POST verify': ({ manifest }, { credentials }) => {
    const declares = (manifest.credentials ?? []).some(({ maps_to: name }) => name === 'token');
    if (declares && !credentials.token) return { ok: false, error: 'the token is missing' };
    return { ok: true, user: 'Contract Bot' };
  },
  'POST verify-webhook': ({ manifest }, { credentials, request }) => {
    const declares = (manifest.credentials ?? []).some(({ maps_to: name }) => name === 'signing_secret');
    if (!declares) return { ok: true };
    return { ok: isSigned(request, credentials.signing_secret) };
  },
  'POST parse-inbound': (_adapter, { request }) => parse(JSON.parse(bodyOf(request).toString('utf8'))),
  // The contract does not show its answer: an empty object.
  'POST deliver': () => ({}),
  'POST format': (_adapter, { text }) => ({ text }),
  'POST sources/list-changes': ({ files }, { cursor }) => {
    const known = new Map(JSON.parse(cursor ?? '[]'));
    const now = new Map([...files].map(([path, text]) => [path, fingerprintOf(text)]));
    const here = [...now].filter(([path, mark]) => known.get(path) !== mark);
    const gone = [...known.keys()].filter((path) => !now.has(path));
    return {
      changes: [
        ...here.map(([path, mark]) => ({
          path,
          fingerprint: mark,
          status: known.has(path) ? 'modified' : 'added',
        })),
        ...gone.map((path) => ({ path, fingerprint: null, status: 'removed' })),
      ],
      cursor: JSON.stringify([...now]),
    };
  },
  'POST sources/fetch-file': ({ files }, { file_path: path }) => Buffer.from(files.get(path) ?? ''),
};

/** The platform's own event, as a normalized message (contract 2.5). */
function parse(event) {
  if (event.challenge !== undefined) return { challenge_response: event.challenge };
  const { type = 'message_received', from = 'somebody', text = '', id, thread, direct, about } = event;
  return {
    event_type: type,
    sender: from,
    message: text,
    is_bot: event[originField] === true,
    ...(about === undefined ? {} : { metadata: about }),
    ...(id === undefined ? {} : { dedup_key: id }),
    ...(thread === undefined ? {} : { thread_id: thread }),
    ...(direct === undefined ? {} : { is_dm: direct }),
  };
}

function bodyOf({ body, body_encoding: encoding }) {
  return Buffer.from(body, encoding === 'base64' ? 'base64' : 'utf8');
}

/** The scheme that contract 5.5 shows. */
function isSigned(request, secret) {
  const given = Buffer.from(String(request.headers['x-signature-256'] ?? ''));
  return [secret ?? []].flat().some((one) => {
    const wanted = Buffer.from(`sha256=${createHmac('sha256', one).update(bodyOf(request)).digest('hex')}`);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}

function fingerprintOf(text) {
  return createHash('sha256').update(text).digest('hex');
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param scripts `{status, headers, json | text | base64, delay_ms, held, drop}` each; the last of several is kept */
async function answerScript(response, { scripts: byRoute }, route) {
  const scripts = byRoute.get(route);
  const script = scripts.length > 1 ? scripts.shift() : scripts[0];
  if (script.delay_ms) await pause(script.delay_ms);
  while (script.held && byRoute.get(route) === scripts) await pause(20);
  if (script.drop) return response.destroy();
  const { status = 200, headers = { 'content-type': 'application/json' } } = script;
  const body = script.base64 === undefined ? (script.text ?? JSON.stringify(script.json)) : '';
  response.writeHead(status, headers).end(script.base64 === undefined ? body : Buffer.from(script.base64, 'base64'));
}

function send(response, value, status = 200) {
  if (Buffer.isBuffer(value)) {
    response.writeHead(status, { 'content-type': 'application/octet-stream' }).end(value);
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function control(method, path, body, response) {
  const [slug, what, ...rest] = path.split('/');
  if (method === 'PUT' && what === undefined) {
    const manifest = manifestOf(slug, body ?? {});
    adapters.set(slug, { slug, manifest, scripts: new Map(), calls: [], files: new Map() });
    return send(response, { ok: true });
  }
  const adapter = adapters.get(slug);
  if (!adapter) return send(response, { error: 'no such adapter' }, 404);
  if (what === 'calls' && method === 'GET') return send(response, adapter.calls);
  if (what === 'calls') adapter.calls.length = 0;
  else if (what === 'files') adapter.files = new Map(Object.entries(body));
  else if (what === 'manifest') adapter.manifest = manifestOf(slug, body);
  else if (what === 'answers' && method === 'PUT') adapter.scripts.set(rest.join('/'), [body].flat());
  else if (what === 'answers') adapter.scripts.delete(rest.join('/'));
  else return send(response, { error: 'no such control' }, 404);
  return send(response, { ok: true });
}

async function handle(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  const body = text === '' ? null : JSON.parse(text);
  const [, mount = '', ...rest] = (request.url ?? '').split('/');
  if (mount === '_control') return control(request.method, rest.join('/'), body, response);
  const adapter = adapters.get(mount);
  const route = rest.join('/');
  const endpoint = endpoints[`${request.method} ${route}`];
  // Routes that are not in the contract can be answered too.
  const scripts = adapter?.scripts.get(route);
  if (!adapter || !(endpoint || scripts)) return send(response, { error: 'not found' }, 404);
  if (request.method === 'POST' || !endpoint) adapter.calls.push({ route, headers: request.headers, body });
  return scripts ? answerScript(response, adapter, route) : send(response, endpoint(adapter, body));
}

const server = createServer((request, response) => {
  handle(request, response).catch((error) => send(response, { error: String(error) }, 500));
});
server.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
