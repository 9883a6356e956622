import { ContractViolation, checkAnswer } from '../../contract-violation.js';
import type { JsonObject } from '../../json-value.js';
import type { Answer } from '../adapter-calls.js';
import { answered, expectThat, includes, need, survived } from '../check.js';
import type { WebhookSample } from '../fixtures.js';
import type { Kit } from '../kit.js';
import { webhookCall } from '../webhook-calls.js';
import { answersMissed } from './04-missed.js';
import type { Point } from './point.js';

const MAX_MS = 2_000;
const DEPTH = 10_000;
const HOSTILE: [string, string][] = [
  ['null', 'null'],
  ['empty', ''],
  ['invalid JSON', '{"a":'],
  ['an array', '[]'],
  ['a number', '42'],
  ['1 MB of text', JSON.stringify({ text: 'x'.repeat(1_000_000) })],
  [`${DEPTH} nested arrays`, '['.repeat(DEPTH) + ']'.repeat(DEPTH)],
  [`${DEPTH} nested objects`, '{"a":'.repeat(DEPTH) + '1' + '}'.repeat(DEPTH)],
];

export const parsing: Point = {
  number: 4,
  title: '/parse-inbound understands every sample and survives every body',
  async run(kit) {
    const samples = kit.fixtures.webhooks?.samples ?? [];
    await kit.check(
      '4.samples',
      'parses every sample as a valid message',
      'Answer the message of section 2.5.',
      async () => {
        kit.needsCapability('receive');
        need(samples[0], 'webhooks.samples');
        for (const sample of samples) {
          const { answer, message } = await parsed(kit, sample);
          const expected = sample.expect ?? {};
          expectThat(includes(message, expected), answer, `sample ${sample.name}: ${JSON.stringify(expected)}`);
        }
      },
    );
    await kit.check(
      '4.unknown',
      'ignores an event that it does not know',
      'Answer event_type "ignored" with metadata.ignored_reason: providers add events without asking.',
      async () => {
        kit.needsCapability('receive');
        const unknown = need(
          samples.find((sample) => sample.role === 'unknown'),
          'webhook sample with the role unknown',
        );
        const { answer, message } = await parsed(kit, unknown);
        expectThat(message.event_type === 'ignored', answer, 'event_type "ignored"', message.event_type);
      },
    );
    await answersMissed(kit);
    for (const [name, body] of HOSTILE) {
      await kit.check(
        `4.${name.replaceAll(' ', '-')}`,
        `answers a body that is ${name} within ${MAX_MS / 1000} s`,
        'Bound what is parsed, avoid recursion over the sender’s data, and answer "ignored".',
        async () => {
          kit.needsCapability('receive');
          const call = await webhookCall(kit, { name, text: body });
          const answer = await kit.adapter.post('/parse-inbound', call);
          survived(answer);
          expectThat(
            answer.durationMs < MAX_MS,
            answer,
            `an answer within ${MAX_MS} ms`,
            Math.round(answer.durationMs),
          );
        },
      );
    }
  },
};

/** The parsed sample. Fails the check when it is not a valid message. */
export async function parsed(
  kit: Kit,
  sample: WebhookSample,
  calls = kit.adapter,
): Promise<{ answer: Answer; message: JsonObject }> {
  const answer = await calls.post('/parse-inbound', await webhookCall(kit, sample));
  const message = answered(answer);
  try {
    checkAnswer('parse-inbound', message);
  } catch (error) {
    if (!(error instanceof ContractViolation)) throw error;
    expectThat(false, answer, 'a message as section 2.5 has it', error.message);
  }
  return { answer, message };
}
