import { expectThat, need } from '../check.js';
import type { WebhookSample } from '../fixtures.js';
import { parsed } from './04-parsing.js';
import type { Point } from './point.js';

const CASES: [NonNullable<WebhookSample['role']>, string, boolean][] = [
  ['own', 'knows its own message', true],
  ['own_edited', 'knows its own message after an edit', true],
  ['other', "does not take another's message for its own", false],
];

export const ownMessages: Point = {
  number: 5,
  title: 'Own messages are is_bot, others are not',
  async run(kit) {
    for (const [role, title, isBot] of CASES) {
      await kit.check(
        `5.${role.replace('own_', '')}`,
        title,
        'Set is_bot from what the provider says of the sender and from self (section 4.2): otherwise replies loop for ever.',
        async () => {
          kit.needsCapability('receive');
          const samples = (kit.fixtures.webhooks?.samples ?? []).filter((sample) => sample.role === role);
          need(samples[0], `webhook sample with the role ${role}`);
          for (const sample of samples) {
            const { answer, message } = await parsed(kit, sample);
            expectThat(message.is_bot === isBot, answer, `sample ${sample.name}: is_bot ${isBot}`, message.is_bot);
          }
        },
      );
    }
  },
};
