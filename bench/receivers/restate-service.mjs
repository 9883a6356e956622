// The path of a message as a Restate service: each step's result is stored, so that no step runs twice.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { freePort } from '../../scripts/launcher/ports.mjs';
import { signed } from './read-and-check.mjs';

const { home, secret, sinkUrl } = JSON.parse(process.argv[2] ?? '{}');
const restate = createRequire(join(home, 'package.json'))('@restatedev/restate-sdk');
const dispatcher = new Agent({ connections: 64 });

/** @param {string} id @param {string} text */
async function deliver(id, text) {
  const answer = await request(sinkUrl, {
    dispatcher,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': id },
    body: JSON.stringify({ in_reply_to: id, text }),
  });
  await answer.body.dump();
}

const webhook = restate.service({
  name: 'Webhook',
  handlers: {
    receive: restate.handlers.handler(
      { input: restate.serde.binary, accept: '*/*' },
      async (/** @type {any} */ context, /** @type {Uint8Array} */ bytes) => {
        const { id, headers } = context.request();
        const body = Buffer.from(bytes);
        if (!signed(secret, body, headers.get('x-signature-256')))
          throw new restate.TerminalError('bad_signature', { errorCode: 401 });
        const message = JSON.parse(body.toString('utf8'));
        const route = await context.run('route', () => ({ workflow: message.workflow_id ?? 'none' }));
        const turn = await context.run('turn', () => ({ ...route, reply: 'got it' }));
        await context.run('deliver', () => deliver(String(id), turn.reply));
      },
    ),
  },
});
const port = await freePort();
// Its log goes to standard output, which also announces the port.
await restate
  .endpoint()
  .setLogger(() => undefined)
  .bind(webhook)
  .listen(port);
process.stdout.write(`${JSON.stringify({ port })}\n`);
