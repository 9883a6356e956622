import { isJsonObject } from '../../json-value.js';
import { answered, expectThat, need, NotApplicable } from '../check.js';
import { parsed } from './04-parsing.js';
import { needProvider } from './09-delivering.js';
import type { Point } from './point.js';

export const threads: Point = {
  number: 7,
  title: 'A reply lands in the thread that it answers',
  async run(kit) {
    await kit.check(
      '7.round-trip',
      'delivers a reply to the thread of the parsed message',
      'Send to message.thread_id, and answer the thread_id that the provider put the message in.',
      async () => {
        kit.needsCapability('receive');
        kit.needsCapability('send');
        const declared = isJsonObject(kit.manifest.message) ? kit.manifest.message : {};
        if (declared.threads === false) throw new NotApplicable('the manifest declares no threads');
        needProvider(kit);
        const others = (kit.fixtures.webhooks?.samples ?? []).filter((sample) => sample.role === 'other');
        need(others[0], 'webhook sample with the role other');
        const messages = await Promise.all(others.map((sample) => parsed(kit, sample)));
        const { message } = need(
          messages.find((entry) => typeof entry.message.thread_id === 'string'),
          'webhook sample of another that is parsed with a thread_id',
        );
        const metadata = isJsonObject(message.metadata) ? message.metadata : {};
        const answer = await kit.adapter.post('/deliver', {
          credentials: kit.credentials,
          channel_address: metadata.channel_address ?? kit.fixtures.deliver?.channel_address,
          message: { text: 'A reply.', thread_id: message.thread_id, reply_context: metadata.reply_context },
          idempotency_key: 'conformance-thread',
        });
        const { ok, thread_id } = answered(answer);
        expectThat(ok === true, answer, 'ok true');
        expectThat(
          thread_id === message.thread_id,
          answer,
          `thread_id ${JSON.stringify(message.thread_id)}`,
          thread_id,
        );
      },
    );
  },
};
