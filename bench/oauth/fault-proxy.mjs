import { createServer, request as forward } from 'node:http';

/**
 * A fault for the next token requests. `hold-before` keeps the request from the provider and `hold-after` keeps the
 * answer from the client, until released. `drop-before` and `drop-after` close the connection before or after the
 * provider rotates. `status` answers in place of the provider, `patch` changes its answer (null removes a field), and
 * `raw` answers with this text.
 * @typedef {object} Fault
 * @property {'hold-before' | 'hold-after' | 'drop-before' | 'drop-after' | 'status' | 'patch' | 'raw'} kind
 * @property {number} [times] how many token requests it affects, 1 by default
 * @property {number} [status]
 * @property {Record<string, string>} [headers]
 * @property {Record<string, unknown>} [fields]
 * @property {string} [text]
 */

/**
 * A proxy before an authorization server. It counts token requests and applies the faults that it was given.
 * @param {number} upstreamPort
 */
export async function startFaultProxy(upstreamPort) {
  /** @type {Fault[]} */
  let faults = [];
  /** @type {(() => void)[]} */
  let held = [];
  let delayMs = 0;
  let graceMs = 0;
  let revocationStatus = 200;
  /** @type {Map<string, {answer: Answer, untilMs: number}>} */
  const replays = new Map();
  /** @type {{grant: string, status: number, refreshToken: string | null, resource: string | null}[]} */
  const requests = [];
  /** @type {string[]} */
  const revoked = [];
  /** @type {{token: string, from: string | null}[]} */
  const issued = [];

  const server = createServer(async (req, res) => {
    const body = await read(req);
    if (req.url === '/__faults') {
      const order = JSON.parse(body);
      if (order.faults) faults = order.faults.map((/** @type {Fault} */ one) => ({ times: 1, ...one }));
      if (order.delayMs !== undefined) delayMs = order.delayMs;
      if (order.graceMs !== undefined) graceMs = order.graceMs;
      if (order.revocationStatus !== undefined) revocationStatus = order.revocationStatus;
      if (order.release) for (const release of held.splice(0)) release();
      if (order.reset) {
        requests.length = 0;
        revoked.length = 0;
        issued.length = 0;
      }
      return void res.end(JSON.stringify({ requests, revoked, issued, held: held.length }));
    }
    if (req.method === 'POST' && req.url === '/token/revocation') {
      if (revocationStatus !== 200) return void res.writeHead(revocationStatus).end();
      revoked.push(new URLSearchParams(body).get('token') ?? '');
    }
    if (req.method !== 'POST' || req.url !== '/token') return answerWith(res, await passOn(req, body));
    const form = new URLSearchParams(body);
    const [refreshToken, resource] = [form.get('refresh_token'), form.get('resource')];
    const entry = { grant: form.get('grant_type') ?? '', status: 0, refreshToken, resource };
    requests.push(entry);
    const fault = faults[0];
    if (fault && --/** @type {{times: number}} */ (fault).times <= 0) faults.shift();
    const answer = await spoil(fault, () => passOnce(req, body, entry.refreshToken));
    entry.status = answer?.status ?? 0;
    if (!answer) return void req.socket.destroy();
    answerWith(res, answer);
  });

  /** @param {Fault | undefined} fault @param {() => Promise<Answer>} pass @returns {Promise<Answer | null>} null drops */
  async function spoil(fault, pass) {
    if (fault?.kind === 'drop-before') return null;
    if (fault?.kind === 'status')
      return { status: fault.status ?? 503, headers: fault.headers ?? {}, body: fault.text ?? '' };
    if (fault?.kind === 'hold-before') await new Promise((resolve) => held.push(() => resolve(null)));
    const answer = await pass();
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    if (fault?.kind === 'drop-after') return null;
    if (fault?.kind === 'hold-after') await new Promise((resolve) => held.push(() => resolve(null)));
    if (fault?.kind === 'raw') return { ...answer, body: fault.text ?? '', headers: fault.headers ?? answer.headers };
    if (fault?.kind !== 'patch') return answer;
    const patched = Object.entries({ ...JSON.parse(answer.body), ...fault.fields }).filter(
      ([, value]) => value !== null,
    );
    return { ...answer, status: fault.status ?? answer.status, body: JSON.stringify(Object.fromEntries(patched)) };
  }

  /** A provider with a grace period gives the same answer to a repeated refresh token for a while. */
  async function passOnce(
    /** @type {import('node:http').IncomingMessage} */ req,
    /** @type {string} */ body,
    /** @type {string | null} */ token,
  ) {
    const known = token === null ? undefined : replays.get(token);
    if (known && known.untilMs > Date.now()) return known.answer;
    const answer = await passOn(req, body);
    const made = answer.status === 200 ? JSON.parse(answer.body).refresh_token : undefined;
    if (made) issued.push({ token: made, from: token });
    if (token !== null && graceMs > 0) replays.set(token, { answer, untilMs: Date.now() + graceMs });
    return answer;
  }

  /** @param {import('node:http').IncomingMessage} req @param {string} body @returns {Promise<Answer>} */
  function passOn(req, body) {
    return new Promise((resolve, reject) => {
      // The issuer is this proxy, so the Host header stays.
      const out = forward(
        {
          port: upstreamPort,
          host: '127.0.0.1',
          path: req.url,
          method: req.method,
          headers: { ...req.headers, connection: 'close' },
        },
        async (answer) => {
          const headers = /** @type {Record<string, string | string[]>} */ (answer.headers);
          resolve({ status: answer.statusCode ?? 502, headers, body: await read(answer) });
        },
      );
      out.on('error', reject);
      out.end(body);
    });
  }

  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { port: address.port };
}

/** @typedef {{status: number, headers: Record<string, string | string[]>, body: string}} Answer */

/** @param {import('node:http').ServerResponse} res @param {Answer} answer */
function answerWith(res, { status, headers, body }) {
  const { 'content-length': _length, 'transfer-encoding': _encoding, connection: _connection, ...rest } = headers;
  res.writeHead(status, rest).end(body);
}

/** @param {import('node:http').IncomingMessage} stream */
async function read(stream) {
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}
