// The worker of the hand-written receiver: parses each job and posts its reply.
import { Worker } from 'bullmq';
import { Agent, request } from 'undici';

const { redisUrl, sinkUrl } = JSON.parse(process.argv[2] ?? '{}');
const { hostname: host, port } = new URL(redisUrl);
const dispatcher = new Agent({ connections: 64 });
const worker = new Worker(
  'peer',
  async (job) => {
    const answer = await request(sinkUrl, {
      dispatcher,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': String(job.id) },
      body: JSON.stringify({ in_reply_to: String(job.id), text: JSON.parse(job.data.body).task }),
    });
    await answer.body.dump();
  },
  { connection: { host, port: Number(port), maxRetriesPerRequest: null }, concurrency: 64 },
);
await worker.waitUntilReady();
process.stdout.write('{}\n');
