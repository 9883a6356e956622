import { createServer } from 'node:http';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { copyOf } from './copy-of.mjs';
import { signedApp, startGatehouse } from './gatehouse.mjs';
import { median, shown, table } from './table.mjs';

const without = ['python-runner', 'engine', 'adapters', 'mcp-registry', 'router'];
/** What holds after this long is in force everywhere. */
const promisedMs = 100;
/** For how long the old one is tried after that. */
const watchMs = 500;
const enoughRefusals = 5;
const slug = 'in-force';
/** A key that was revoked is tried more often than a stranger may. */
const env = { FAILED_KEYS_PER_ADDRESS: '1000' };

/**
 * How long what was replaced is still used, in other processes than the one that changed it. The old signing secret is
 * tried at each replica of the ingress all the time, the old token is looked for in the calls that an adapter gets, and
 * the revoked API key is tried at each replica of the portal. The change is committed between its request and its answer.
 * @param {{rounds: number}} options
 */
export async function benchInForce({ rounds }) {
  const adapter = await recordingAdapter();
  const gatehouse = await startGatehouse({ name: 'in-force', without, replicas: 2, env });
  try {
    const { api } = gatehouse;
    await api('POST', '/adapters', { url: adapter.url });
    const token = await api('POST', '/credentials', { name: 'Token', type: 'api_key', fields: { token: 'token-0' } });
    const { id: app } = await api('POST', `/listings/${slug}/install`, { credentials: { TOKEN: token.id } });
    const first = 'a-signing-secret-for-the-benchmark-0';
    const hook = await signedApp(gatehouse, { secret: first, replyAddress: null });
    const { pathname } = new URL(hook.url);
    const signer = (await api('GET', `/apps/${hook.appId}`)).credentials[0].credential_id;
    const ingresses = [1, 2]
      .map((replica) => copyOf('webhook-ingress', replica))
      .map((name) => `${gatehouse.urlOf(name)}${pathname}`);
    const portals = [1, 2]
      .map((replica) => copyOf('portal', replica))
      .map((name) => `${gatehouse.urlOf(name)}/api/v1/apps`);
    /** @type {Record<string, Took[]>} */
    const took = { secret: [], record: [], key: [] };
    for (let round = 1; round <= rounds; round += 1) {
      const old = `a-signing-secret-for-the-benchmark-${round - 1}`;
      const value = `a-signing-secret-for-the-benchmark-${round}`;
      const isAccepted = async (/** @type {string} */ url) => (await send(url, old)) < 300;
      took['secret']?.push(
        await lastUse(
          ingresses.map((url) => () => isAccepted(url)),
          () => api('POST', `/credentials/${signer}/fields/signing_secret/rotate`, { value, overlap_seconds: 0 }),
        ),
      );

      const isStale = async () => {
        adapter.seen.length = 0;
        await api('POST', `/apps/${app}/verify`);
        return adapter.seen.some((given) => given !== `token-${round}`);
      };
      took['record']?.push(
        await lastUse([isStale], () =>
          api('POST', `/credentials/${token.id}/fields/token/rotate`, { value: `token-${round}` }),
        ),
      );

      const key = await api('POST', '/api-keys', { name: `Key ${round}`, scopes: ['apps:read'] });
      const isKnown = async (/** @type {string} */ url) => (await withKey(url, key.key)).ok;
      for (const url of portals) await known(url, key.key);
      took['key']?.push(
        await lastUse(
          portals.map((url) => () => isKnown(url)),
          () => api('DELETE', `/api-keys/${key.id}`),
        ),
      );
    }
    return report(took, rounds);
  } finally {
    await gatehouse.close();
    adapter.close();
  }
}

/**
 * @typedef {object} Took of the last use that still succeeded, until it began
 * @property {number} fromRequest ms since the change was requested: it was not committed yet
 * @property {number} fromAnswer ms since its answer: it was committed; 0 when none succeeded after that
 */

/**
 * Tries all the time, from before the change until long after it.
 * @param {(() => Promise<boolean>)[]} tries whether the old one still works
 * @param {() => Promise<void>} change
 * @returns {Promise<Took>}
 */
async function lastUse(tries, change) {
  let untilMs = Number.POSITIVE_INFINITY;
  let working = 0;
  /** @param {() => Promise<boolean>} works */
  const watched = async (works) => {
    let lastMs = 0;
    let refusals = 0;
    for (;;) {
      const atMs = performance.now();
      if (atMs > untilMs || (refusals >= enoughRefusals && untilMs < Number.POSITIVE_INFINITY)) return lastMs;
      if (await works()) {
        if (lastMs === 0) working += 1;
        lastMs = atMs;
        refusals = 0;
      } else {
        refusals += 1;
      }
      await pause(1);
    }
  };
  const watching = tries.map(watched);
  for (let waits = 0; working < tries.length; waits += 1) {
    if (waits > 10_000) throw new Error('what is to be replaced does not work');
    await pause(1);
  }
  const requestedMs = performance.now();
  await change();
  const answeredMs = performance.now();
  untilMs = answeredMs + watchMs;
  const lastMs = Math.max(...(await Promise.all(watching)));
  return { fromRequest: Math.max(0, lastMs - requestedMs), fromAnswer: Math.max(0, lastMs - answeredMs) };
}

/**
 * A server may close a connection just as it is used again.
 * @param {string} url @param {RequestInit} init
 */
const fetched = (url, init) => fetch(url, init).catch(() => fetch(url, init));

/** @param {string} url @param {string} secret @returns {Promise<number>} the status */
async function send(url, secret) {
  const body = JSON.stringify({ task: 'in force?' });
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const headers = { 'content-type': 'application/json', 'x-signature-256': signature };
  const answer = await fetched(url, { method: 'POST', headers, body });
  await answer.arrayBuffer();
  return answer.status;
}

/** @param {string} url @param {string} key */
async function withKey(url, key) {
  const answer = await fetched(url, { headers: { authorization: `Bearer ${key}` } });
  return { ok: answer.ok, status: answer.status, text: await answer.text() };
}

/** @param {string} url @param {string} key */
async function known(url, key) {
  const answer = await withKey(url, key);
  if (!answer.ok) throw new Error(`the key in force is refused: ${answer.status} ${answer.text}`);
}

/** An adapter that notes which token each call of `/verify` brought. */
async function recordingAdapter() {
  /** @type {string[]} */
  const seen = [];
  const manifest = {
    schema_version: '1.0',
    name: 'In force',
    slug,
    description: 'Notes the tokens that it is given.',
    category: 'Integration',
    capabilities: ['send'],
    credentials: [{ key: 'TOKEN', type: 'api_key', label: 'Token', maps_to: 'token' }],
  };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const route = (request.url ?? '').replace(`/${slug}/`, '');
    if (route === 'verify') seen.push(JSON.parse(text).credentials.token);
    const answers = {
      'manifest.json': manifest,
      health: { status: 'ready', version: 'bench', adapter: slug },
      verify: { ok: true, user: 'bench' },
    };
    const answer = answers[/** @type {keyof typeof answers} */ (route)] ?? { text: 'x', format: 'plain' };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}/${slug}`, seen, close: () => server.close() };
}

/** @param {Record<string, Took[]>} took @param {number} rounds */
function report(took, rounds) {
  const names = {
    secret: 'Signing secret, at two ingresses',
    record: 'Token, in the calls of an adapter',
    key: 'API key, at two portals',
  };
  const rows = Object.entries(names).map(([kind, name]) => {
    const all = took[kind] ?? [];
    const longest = (/** @type {keyof Took} */ since) => Math.max(...all.map((one) => one[since]));
    const middle = median(all.map(({ fromRequest }) => fromRequest));
    const kept = longest('fromAnswer') <= promisedMs ? 'yes' : 'NO';
    return [name, shown(middle), shown(longest('fromRequest')), shown(longest('fromAnswer')), kept];
  });
  const head = ['Replaced or revoked', 'Last use, median ms after the request', 'Longest', 'Longest after the answer'];
  return `${table([...head, `Within ${promisedMs} ms`], rows)}\n\n${rounds} changes of each.`;
}
