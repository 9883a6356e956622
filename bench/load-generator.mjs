// One process that keeps N connections busy, or sends at a fixed rate, over plain sockets with prepared requests. It is
// cheap enough that on two cores the receiver is what is measured. It takes its job from argv[2] and prints the result
// as one JSON line.
import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * @typedef {object} Load
 * @property {string} url
 * @property {string} secret signs the body as `X-Signature-256: sha256=<hex>`; '' for no signature
 * @property {number} connections
 * @property {number} seconds
 * @property {number} [patienceSeconds] how long answers are awaited after the last request; by default without end
 * @property {number} [rate] requests per second over all connections; by default as fast as they are answered
 * @property {number} [count] stops after this many
 * @property {number} bytes of the body
 * @property {object} [fields] of the JSON body, besides `task` and `n`
 * @property {string} [prose] what `task` is cut from, at another place for each `n`; by default one letter fills it
 * @property {{path: string, fields: object}[]} [others] further webhooks of the same server and secret, which take turns with the first
 * @property {string} [keyed] gives each request its own `Idempotency-Key`, with this prefix
 * @property {{atOnce: number, messagesOf: number}} [threads] `atOnce` threads take turns, with `messagesOf` messages each; by default each message has its own thread
 * @property {boolean} [keepIds] returns each answered id, with the `n` of its body and when it was due, in ms since the epoch
 */
/** @type {Load} */
const load = JSON.parse(process.argv[2] ?? '{}');
const { hostname, port, pathname } = new URL(load.url);
const targets = [{ path: pathname, fields: load.fields }, ...(load.others ?? [])];
const variants = 256;
/** Digits of a request's number in its `Idempotency-Key`. */
const keyDigits = 12;

/** @param {number} n */
function threadOf(n) {
  const { atOnce, messagesOf } = load.threads ?? { atOnce: 1, messagesOf: 1 };
  return `t${Math.floor(n / (atOnce * messagesOf)) * atOnce + (n % atOnce)}`;
}

/** @param {number} n @param {number} length */
function filler(n, length) {
  const { prose } = load;
  if (!prose) return 'x'.repeat(length);
  const from = (n * 97) % prose.length;
  return prose.repeat(Math.ceil((from + length) / prose.length)).slice(from, from + length);
}

/** Without ids, a few hundred bodies are reused; with them, each request has its own. @param {number} n */
function prepared(n) {
  const thread_id = threadOf(n);
  const { path, fields } = targets[n % targets.length] ?? { path: pathname };
  const shell = JSON.stringify({ ...fields, n, thread_id, task: '' });
  const task = filler(n, Math.max(0, load.bytes - shell.length));
  const body = JSON.stringify({ ...fields, n, thread_id, task });
  const signature = load.secret ? createHmac('sha256', load.secret).update(body).digest('hex') : '';
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\n` +
      `${signature ? `X-Signature-256: sha256=${signature}\r\n` : ''}` +
      `${load.keyed ? `Idempotency-Key: ${load.keyed}${'0'.repeat(keyDigits)}\r\n` : ''}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

const keyAt = load.keyed ? prepared(0).indexOf(load.keyed) + load.keyed.length : 0;

/** The prepared request for the `n`th one. There are more of them than may be in flight. @param {number} n */
function withKey(n) {
  const request = requests[n % variants] ?? Buffer.alloc(0);
  if (load.keyed) request.write(String(10 ** (keyDigits - 1) + n), keyAt, keyDigits, 'latin1');
  return request;
}

const requests = load.keepIds ? [] : Array.from({ length: variants }, (_, n) => prepared(n));
/** @type {number[]} */
const latencies = [];
/** @type {Array<[string, number, number]>} */
const ids = [];
/** @type {Record<string, number>} */
const statuses = {};
let sent = 0;
let refused = 0;
const startedAt = performance.now();
const endsAt = startedAt + load.seconds * 1000;
const most = load.count ?? (load.rate ? load.rate * load.seconds : Number.POSITIVE_INFINITY);

/** Whether another request may start now. */
const due = () => sent < most && performance.now() < endsAt;

/** @returns {Promise<void>} drives one connection until the end */
function drive() {
  return new Promise((resolve) => {
    let began = 0;
    let text = '';
    let n = 0;
    // One buffer for all input: a stream's chunks would cost this process a sixth more.
    const buffer = Buffer.alloc(65_536);
    const onread = {
      buffer,
      callback: (/** @type {number} */ bytes) => {
        text += buffer.latin1Slice(0, bytes);
        take();
        return true;
      },
    };
    const open = () => connect({ host: hostname, port: Number(port), noDelay: true, onread });
    /** @type {ReturnType<typeof open>} */
    let socket;
    /** Until the request is due. */
    let waiting = false;
    let closed = false;
    const next = () => {
      if (!due()) {
        socket?.destroy();
        return resolve();
      }
      // With a rate, request k has its own due time; a late one counts its wait as latency.
      n = sent;
      const slot = load.rate ? startedAt + (sent / load.rate) * 1000 : 0;
      const send = () => {
        waiting = false;
        if (closed) {
          closed = false;
          connectAnew();
        }
        began = load.rate ? slot : performance.now();
        socket.write(load.keepIds ? prepared(n) : withKey(n));
      };
      sent += 1;
      const waitMs = slot - performance.now();
      waiting = waitMs > 0;
      if (waiting) setTimeout(send, waitMs);
      else send();
    };
    const take = () => {
      const head = text.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (text.length < head + 4 + length) return;
      // Said to a connection on which nothing was asked.
      if (waiting) return void (text = '');
      const status = text.slice(9, 12);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status.startsWith('2')) {
        latencies.push(performance.now() - began);
        const id = load.keepIds ? /"(?:id|invocationId)":"([^"]+)"/.exec(text)?.[1] : undefined;
        if (id) ids.push([id, n, performance.timeOrigin + began]);
      }
      text = '';
      next();
    };
    const connectAnew = () => {
      text = '';
      socket = open();
      socket.on('error', () => undefined);
      socket.on('close', () => {
        // Idle for longer than the server keeps a connection: nothing was sent on it.
        if (waiting) return void (closed = true);
        if (!due()) return resolve();
        refused += 1;
        setTimeout(() => {
          connectAnew();
          socket.once('connect', next);
        }, 50);
      });
    };
    // At a rate, a connection may wait long for its first request: a server closes one on which nothing comes.
    if (load.rate) {
      closed = true;
      return next();
    }
    connectAnew();
    socket.once('connect', next);
  });
}

const driven = Promise.all(Array.from({ length: load.connections }, drive));
await (load.patienceSeconds === undefined
  ? driven
  : Promise.race([driven, pause((load.seconds + load.patienceSeconds) * 1_000)]));
const seconds = (performance.now() - startedAt) / 1000;
latencies.sort((a, b) => a - b);
const at = (/** @type {number} */ share) =>
  latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
const cpu = process.cpuUsage();
process.stdout.write(
  `${JSON.stringify({ accepted: latencies.length, perSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99), p999: at(0.999), statuses, refused, ids, cpuMs: (cpu.user + cpu.system) / 1000 })}\n`,
);
