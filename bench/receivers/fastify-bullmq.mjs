// What people write by hand: Fastify, the HMAC over the raw body, one BullMQ job per request, then 200.
import { Queue } from 'bullmq';
import Fastify from 'fastify';
import { signed } from './read-and-check.mjs';

const { secret, redisUrl } = JSON.parse(process.argv[2] ?? '{}');
const { hostname: host, port } = new URL(redisUrl);
const queue = new Queue('peer', { connection: { host, port: Number(port), enableOfflineQueue: false } });
await queue.waitUntilReady();
const app = Fastify();
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
app.post('/webhook', async (request, reply) => {
  const body = /** @type {Buffer} */ (request.body);
  if (!signed(secret, body, request.headers['x-signature-256']))
    return reply.code(401).send({ error: 'bad_signature' });
  const data = { headers: request.headers, body: body.toString('utf8') };
  const job = await queue.add('webhook', data, { removeOnComplete: true, removeOnFail: true });
  return reply.send({ received: true, id: job.id });
});
const url = await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${JSON.stringify({ port: Number(new URL(url).port) })}\n`);
