// An adapter that can be asked to hang, fail or die: POST /mode with `ok`, `hang` or `fail`.
import { createAdapterServer, defineAdapter } from '#libs/adapter-sdk';

const { sinkUrl, port = 0, secret } = JSON.parse(process.argv[2] ?? '{}');
let mode = 'ok';

/** Every handler runs this first. */
async function behave() {
  if (mode === 'hang') await new Promise(() => {});
  if (mode === 'fail') throw new Error('asked to fail');
}

const adapter = defineAdapter({
  manifest: {
    schema_version: '1.0',
    contract: '1',
    slug: 'fickle',
    name: 'Fickle',
    description: 'Fails on command.',
    category: 'Test',
    capabilities: ['send', 'receive'],
    credentials: [],
    webhook: { verification: 'none' },
    message: { idempotent: true },
  },
  verify: async () => ({ ok: true, user: 'fickle' }),
  verifyWebhook: async () => ({ ok: true }),
  async parseInbound(call) {
    await behave();
    const { n, workflow_id, run } = JSON.parse(call.request.text);
    return {
      event_type: 'message_received',
      // A sender for each message: messages of one session would be answered together.
      sender: `chaos-${n}`,
      message: 'a message',
      is_bot: false,
      workflow_id,
      dedup_key: `${run}-${n}`,
      metadata: { channel_address: sinkUrl, reply_context: { name: `${run}-${n}` } },
    };
  },
  format: async (request) => ({ text: request.text, format: 'plain' }),
  async deliver(call) {
    await behave();
    const body = JSON.stringify({ in_reply_to: call.message.reply_context?.name });
    const headers = { 'content-type': 'application/json', 'idempotency-key': String(call.idempotency_key) };
    const answer = await fetch(sinkUrl, { method: 'POST', headers, body });
    await answer.body?.cancel();
    return { ok: true, message_id: String(call.idempotency_key) };
  },
});
const app = createAdapterServer([adapter], { secret, version: '1' });
app.post('/mode', (request, reply) => {
  mode = String(request.body);
  return reply.send({ mode });
});
const url = await app.listen({ port, host: '127.0.0.1' });
process.stdout.write(`${JSON.stringify({ port: Number(new URL(url).port) })}\n`);
