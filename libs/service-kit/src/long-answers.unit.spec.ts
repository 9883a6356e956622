import { until } from '#libs/testing';
import fastify, { type FastifyInstance } from 'fastify';
import { connect, type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { AnswerPieces, sendInPieces } from './long-answers.js';

const mebibyte = 1_048_576;
const piece = 65_536;
const endless = 1_000 * mebibyte;
const text = 'ä'.repeat(100_000);

describe('long answers, in pieces', () => {
  it('take no more than a part of each turn together, however many there are', async () => {
    const pieces = new AnswerPieces(endless);
    const taken = Array.from({ length: 100 }, () => 0);
    const all = taken.map((_none, at) =>
      pieces
        .of(Buffer.alloc(mebibyte, at), 'a')
        .on('data', (chunk: Buffer) => (taken[at] = (taken[at] ?? 0) + chunk.length)),
    );
    const sum = (): number => taken.reduce((total, bytes) => total + bytes, 0);
    let most = 0;
    for (let before = 0; sum() < 100 * mebibyte; before = sum()) {
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, sum() - before);
      // The last one began long before the first one has ended.
      if (taken[0] === mebibyte) expect(Math.min(...taken)).toBeGreaterThanOrEqual(mebibyte - 2 * piece);
    }
    expect(most).toBeLessThanOrEqual(mebibyte);
    await until('all have ended', () => all.every(({ readableEnded }) => readableEnded));
  });

  it.each([1, piece - 1, piece, piece + 1, 3 * piece])('are whole with %i bytes', async (bytes) => {
    const whole = Buffer.alloc(bytes, 'abcdefg');
    expect((await buffer(new AnswerPieces(endless).of(whole, 'a'))).equals(whole)).toBe(true);
  });

  it('that nobody reads any more leave their turns to others', async () => {
    const pieces = new AnswerPieces(endless);
    const gone = Array.from({ length: 100 }, () => pieces.of(Buffer.alloc(mebibyte), 'a').resume());
    for (const answer of gone) answer.destroy();
    expect(await buffer(pieces.of(Buffer.from('here'), 'a'))).toEqual(Buffer.from('here'));
  });
});

describe('long answers to one address', () => {
  it('come at its rate after the first part, while those to others do not wait', async () => {
    const perSecond = 8 * mebibyte;
    const pieces = new AnswerPieces(perSecond);
    const startMs = performance.now();
    const slow = [1, 2, 3].map(() => buffer(pieces.of(Buffer.alloc(mebibyte), 'a')));
    await buffer(pieces.of(Buffer.alloc(mebibyte), 'b'));
    const other = performance.now() - startMs;
    await Promise.all(slow);
    // A quarter of a second's bytes come at once, and the last piece may exceed what is allowed.
    const least = ((3 * mebibyte - perSecond / 4 - piece) / perSecond) * 1_000;
    const took = performance.now() - startMs;
    expect(took).toBeGreaterThanOrEqual(least);
    expect(other).toBeLessThan(took);
  });
});

describe('a service', () => {
  let service: FastifyInstance;
  let url: string;

  beforeAll(async () => {
    service = fastify();
    sendInPieces(service, endless);
    service.get('/text', (_request, reply) => reply.type('text/plain; charset=utf-8').send(text));
    service.get('/bytes', (_request, reply) => reply.send(Buffer.alloc(mebibyte, 'x')));
    service.get('/json', () => ({ text }));
    service.get('/short', () => ({ ok: true }));
    url = await service.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(() => service.close());

  it.each([
    ['text', 'text/plain; charset=utf-8', text],
    ['bytes', 'application/octet-stream', 'x'.repeat(mebibyte)],
    ['json', 'application/json; charset=utf-8', JSON.stringify({ text })],
    ['short', 'application/json; charset=utf-8', '{"ok":true}'],
  ])('answers /%s whole, with its length and type', async (path, type, body) => {
    const answer = await fetch(`${url}/${path}`);
    expect(answer.headers.get('content-type')).toBe(type);
    expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(body)));
    expect(answer.headers.get('transfer-encoding')).toBeNull();
    expect(await answer.text()).toBe(body);
    const head = await fetch(`${url}/${path}`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(Buffer.byteLength(body))]);
  });

  it('answers others while clients read nothing, and several on one connection in their order', async () => {
    const { port } = new URL(url);
    const ask = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
    const idle = Array.from({ length: 50 }, () => connect(Number(port), '127.0.0.1').pause());
    for (const socket of idle) socket.write(ask('/bytes').repeat(10));
    expect(await (await fetch(`${url}/short`)).json()).toEqual({ ok: true });
    for (const socket of idle) socket.destroy();
    const both = connect((service.server.address() as AddressInfo).port, '127.0.0.1');
    both.write(`${ask('/bytes')}${ask('/short', 'connection: close\r\n')}`);
    const answers = (await buffer(both)).toString();
    expect(answers.indexOf('{"ok":true}')).toBeGreaterThan(answers.lastIndexOf('xxx'));
  });
});
