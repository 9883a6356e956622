import { isJsonObject } from '../../json-value.js';
import { expectThat, includes, need, NotApplicable } from '../check.js';
import { parsed } from './04-parsing.js';
import type { Point } from './point.js';

export const handshake: Point = {
  number: 8,
  title: 'A handshake is echoed',
  async run(kit) {
    await kit.check(
      '8.echo',
      'answers each handshake with its challenge_response',
      'Answer event_type "challenge" and challenge_response: a text, or {status, headers, body}.',
      async () => {
        kit.needsCapability('receive');
        const webhook = isJsonObject(kit.manifest.webhook) ? kit.manifest.webhook : {};
        const samples = kit.fixtures.webhooks?.handshakes;
        if (!samples && webhook.handshake)
          throw new NotApplicable('the platform answers the declared handshake itself');
        for (const sample of need(samples, 'webhooks.handshakes')) {
          const { answer, message } = await parsed(kit, sample);
          expectThat(message.event_type === 'challenge', answer, 'event_type "challenge"', message.event_type);
          const expected = `challenge_response ${JSON.stringify(sample.respond)}`;
          expectThat(
            includes(message.challenge_response, sample.respond),
            answer,
            expected,
            message.challenge_response,
          );
        }
      },
    );
  },
};
