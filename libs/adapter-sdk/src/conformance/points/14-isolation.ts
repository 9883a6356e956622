import { answered, expectThat, need, NotApplicable, Skipped } from '../check.js';
import type { Kit } from '../kit.js';
import { webhookCall } from '../webhook-calls.js';
import type { Point } from './point.js';

const PARALLEL = 50;
const ADVICE = 'Keep nothing of a call outside its handler: no client, token or account in a variable of the module.';

export const isolation: Point = {
  number: 14,
  title: `${PARALLEL} parallel calls of two accounts never mix`,
  async run(kit) {
    await kit.check('14.accounts', 'names to each account its own user', ADVICE, async () => {
      const accounts = twoAccounts(kit);
      const alone: unknown[] = [];
      for (const credentials of accounts) alone.push(answered(await kit.adapter.post('/verify', { credentials })).user);
      if (alone[0] === alone[1]) throw new NotApplicable('both accounts of the fixtures have one user');
      await inParallel(async (index) => {
        const answer = await kit.adapter.post('/verify', { credentials: accounts[index % 2] });
        const { user } = answered(answer);
        expectThat(user === alone[index % 2], answer, `user ${JSON.stringify(alone[index % 2])}`, user);
      });
    });
    await kit.check('14.webhooks', 'verifies with the secret of its own account', ADVICE, async () => {
      kit.needsCapability('receive');
      const accounts = twoAccounts(kit);
      const signer = need(kit.signer, 'webhooks.signing');
      const sample = need(kit.fixtures.webhooks?.samples?.[0], 'webhooks.samples');
      if (accounts[0][signer.credential] === accounts[1][signer.credential]) {
        throw new Skipped(`both accounts of the fixtures have one ${signer.credential}`);
      }
      await inParallel(async (index) => {
        const call = await webhookCall(kit, sample, { credentials: accounts[index % 2] });
        const own = index % 4 < 2;
        const answer = await kit.adapter.post('/verify-webhook', {
          ...call,
          credentials: accounts[own ? index % 2 : 1 - (index % 2)],
        });
        expectThat(answered(answer).ok === own, answer, `ok ${own}`);
      });
    });
  },
};

function twoAccounts(kit: Kit): [Record<string, unknown>, Record<string, unknown>] {
  const { good, other } = kit.fixtures.credentials ?? {};
  return [need(good, 'credentials.good'), need(other, 'credentials.other')];
}

async function inParallel(run: (index: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: PARALLEL }, (_, index) => run(index)));
}
