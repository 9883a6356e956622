import { isJsonObject, type JsonObject } from '../../json-value.js';
import { answered, expectThat, includes, need, NotApplicable } from '../check.js';
import type { Kit } from '../kit.js';
import { webhookCall } from '../webhook-calls.js';
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
        const samples = kit.fixtures.webhooks?.handshakes;
        if (!samples && answeredByThePlatform(kit)) throw new NotApplicable(platformAnswers);
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
    await kit.check(
      '8.accepted',
      'accepts each handshake that is posted, before it is asked for the answer',
      'Answer ok from /verify-webhook for a handshake: what is refused there is answered 401, and never parsed.',
      async () => {
        kit.needsCapability('receive');
        const samples = kit.fixtures.webhooks?.handshakes;
        if (!samples && answeredByThePlatform(kit)) throw new NotApplicable(platformAnswers);
        if (isJsonObject(kit.manifest.webhook) && isIngressChecked(kit.manifest.webhook))
          throw new NotApplicable('the platform checks the declared signature itself');
        for (const sample of need(samples, 'webhooks.handshakes')) {
          if ((sample.method ?? 'POST') !== 'POST') continue;
          const answer = await kit.adapter.post('/verify-webhook', await webhookCall(kit, sample));
          expectThat(answered(answer).ok === true, answer, `ok for the handshake ${sample.name}`);
        }
      },
    );
  },
};

const platformAnswers = 'the platform answers the declared handshake itself';

function answeredByThePlatform(kit: Kit): boolean {
  const webhook = isJsonObject(kit.manifest.webhook) ? kit.manifest.webhook : {};
  return isJsonObject(webhook.handshake) && webhook.handshake.respond !== 'adapter';
}

function isIngressChecked(webhook: JsonObject): boolean {
  const { verification } = webhook;
  return verification === 'none' || isJsonObject(verification);
}
