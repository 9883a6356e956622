import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../json-value.js';
import type { AdapterCalls } from '../adapter-calls.js';
import { expectThat, need, NotApplicable, Skipped } from '../check.js';
import type { Kit, RunningAdapter } from '../kit.js';
import { parsed } from './04-parsing.js';
import { limitOf, needProvider, resumes } from './09-delivering.js';
import { walkStates } from './11-document-sources.js';
import type { Point } from './point.js';

const ADVICE =
  'Keep nothing between calls that a call needs: everything arrives with it, and any replica may get the next.';

export const statelessness: Point = {
  number: 12,
  title: 'Any instance answers any call',
  async run(kit) {
    const check = (name: string, title: string, run: (other: AdapterCalls) => Promise<void>): Promise<void> =>
      kit.check(`12.${name}`, title, ADVICE, () => withAnother(kit, run));

    await check('parsing', 'parses alike, after a restart too', async (other) => {
      kit.needsCapability('receive');
      const samples = kit.fixtures.webhooks?.samples ?? [];
      need(samples[0], 'webhooks.samples');
      kit.needsPassed('4.samples');
      for (const sample of samples) {
        const here = await parsed(kit, sample);
        const there = await parsed(kit, sample, other);
        if (isDeepStrictEqual(timeless(there.message), timeless(here.message))) continue;
        // One instance that gives two different results is not a matter of instances; point 6 requires stable keys.
        const repeated = await parsed(kit, sample);
        const isStable = isDeepStrictEqual(timeless(repeated.message), timeless(here.message));
        expectThat(!isStable, there.answer, `as the other instance: ${here.answer.text}`);
      }
    });
    await check('delivering', 'finishes what another instance began to deliver', async (other) => {
      kit.needsCapability('send');
      needProvider(kit);
      kit.needsPassed('9.resume');
      await resumes(kit, limitOf(kit), kit.adapter, other);
    });
    await check('listing', 'takes a cursor of another instance', async (other) => {
      const fixture = kit.fixtures.sources;
      if (!fixture) throw new NotApplicable('the fixtures have no sources');
      kit.needsPassed('11.changes');
      await walkStates(kit, { fixture, provider: need(kit.provider, 'provider') }, kit.adapter, other);
    });
  },
};

/** Each check gets an instance started for it, which knows nothing of earlier calls. */
async function withAnother(kit: Kit, run: (other: AdapterCalls) => Promise<void>): Promise<void> {
  const { another } = kit.settings;
  if (!another) throw new Skipped('only one instance is running; give another address of the same build');
  const instance: RunningAdapter = await another();
  try {
    await run(kit.callsTo(instance));
  } finally {
    await instance.close?.();
  }
}

/** The message without metadata.timestamp, which may be the time of receipt. */
function timeless(message: JsonObject): JsonObject {
  const metadata = { ...(message.metadata as JsonObject | undefined), timestamp: undefined };
  return { ...message, metadata };
}
