import { expectThat, need, Skipped } from '../check.js';
import type { WebhookSample } from '../fixtures.js';
import type { Kit } from '../kit.js';
import { parsed } from './04-parsing.js';
import type { Point } from './point.js';

const ADVICE =
  'Build dedup_key from the ids of the message at its provider, never from the delivery, the time or a random value.';

export const dedupKeys: Point = {
  number: 6,
  title: 'dedup_key names the message',
  async run(kit) {
    const samples = kit.fixtures.webhooks?.samples ?? [];
    const check = (name: string, title: string, run: (keyed: Keyed[]) => Promise<void>): Promise<void> =>
      kit.check(`6.${name}`, title, ADVICE, async () => {
        kit.needsCapability('receive');
        need(samples[0], 'webhooks.samples');
        await run(await keys(kit, samples));
      });
    await check('retries', 'is the same when a delivery is repeated', async (first) => {
      if (first.length === 0) throw new Skipped('no sample is parsed with a dedup_key');
      const second = await keys(kit, samples);
      for (const [index, { answer, key }] of second.entries()) {
        expectThat(key === first[index]?.key, answer, `as before ${JSON.stringify(first[index]?.key)}`, key);
      }
    });
    await check('twins', 'is the same for two reports of one message', async (keyed) => {
      need(
        samples.find((sample) => sample.same_message_as !== undefined),
        'webhook sample with same_message_as',
      );
      for (const { sample, key, answer } of keyed) {
        const twin = keyed.find((other) => other.sample.name === sample.same_message_as);
        if (twin) expectThat(key === twin.key, answer, `as of ${twin.sample.name} ${JSON.stringify(twin.key)}`, key);
      }
    });
    await check('distinct', 'differs between messages', async (keyed) => {
      const originals = keyed.filter(({ sample }) => sample.same_message_as === undefined);
      if (originals.length < 2) throw new Skipped('fewer than two samples are parsed with a dedup_key');
      for (const { key, sample, answer } of originals) {
        const same = originals.find((other) => other.sample !== sample && other.key === key);
        expectThat(!same, answer, `another dedup_key than that of ${same?.sample.name}`, key);
      }
    });
  },
};

type Keyed = Awaited<ReturnType<typeof parsed>> & { sample: WebhookSample; key: unknown };

async function keys(kit: Kit, samples: readonly WebhookSample[]): Promise<Keyed[]> {
  const found: Keyed[] = [];
  for (const sample of samples) {
    const result = await parsed(kit, sample);
    if (result.message.dedup_key !== undefined) found.push({ ...result, sample, key: result.message.dedup_key });
  }
  return found;
}
