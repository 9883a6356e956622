import type { Answer } from '../adapter-calls.js';
import { answered, expectThat, need, Skipped } from '../check.js';
import type { Kit } from '../kit.js';
import type { Point } from './point.js';

const ADVICE =
  'Answer HTTP 200 with {"ok":true,"user":"..."} or {"ok":false,"error":"..."}, whatever the credentials are.';

export const credentials: Point = {
  number: 2,
  title: '/verify tells good credentials from others, and never fails itself',
  async run(kit) {
    const verify = (given: unknown): Promise<Answer> => kit.adapter.post('/verify', { credentials: given });
    await kit.check('2.good', 'accepts good credentials and names the user', ADVICE, async () => {
      const answer = await verify(need(kit.fixtures.credentials?.good, 'credentials.good'));
      const { ok, user } = answered(answer);
      expectThat(ok === true && typeof user === 'string', answer, 'ok true and the user as a text');
    });
    for (const kind of ['bad', 'revoked'] as const) {
      await kit.check(`2.${kind}`, `refuses ${kind} credentials`, ADVICE, async () => {
        refused(await verify(need(kit.fixtures.credentials?.[kind], `credentials.${kind}`)));
      });
    }
    await kit.check('2.empty', 'answers empty and absent credentials', ADVICE, async () => {
      for (const answer of [await verify({}), await kit.adapter.post('/verify', {})]) {
        const { ok, user, error } = answered(answer);
        const fits = ok === true ? typeof user === 'string' : ok === false && typeof error === 'string';
        expectThat(fits, answer, 'ok with a user, or not ok with an error');
      }
    });
    await kit.check(
      '2.provider-down',
      'does not call credentials bad when the provider is down',
      'Answer {"ok":false,"error":"provider_unavailable"} when the provider gives no verdict: nothing is disabled then.',
      async () => {
        providerThatVerifies(kit).fail('unavailable', 'verify');
        const answer = await verify(need(kit.fixtures.credentials?.good, 'credentials.good'));
        refused(answer);
        expectThat(
          answer.json?.error === 'provider_unavailable',
          answer,
          'error "provider_unavailable"',
          answer.json?.error,
        );
      },
    );
  },
};

function providerThatVerifies(kit: Kit): NonNullable<Kit['provider']> {
  const answersVerify = kit.fixtures.provider?.routes.some((route) => route.does === 'verify') ?? true;
  if (!kit.provider || !answersVerify) throw new Skipped('the fixtures have no provider route that does verify');
  return kit.provider;
}

function refused(answer: Answer): void {
  const { ok, error } = answered(answer);
  expectThat(ok === false && typeof error === 'string', answer, 'ok false and an error text');
}
