import { isJsonObject } from '../../json-value.js';
import { checkAnswer, ContractViolation } from '../../contract-violation.js';
import type { MissedRequest } from '../../missed-since.js';
import { answered, CheckFailed, expectThat, NotApplicable } from '../check.js';
import type { Kit } from '../kit.js';
import { webhookCall } from '../webhook-calls.js';

const HOUR_MS = 3_600_000;

/** What was missed in the last hour: asked for twice, each request of it is one that the adapter can parse. */
export async function answersMissed(kit: Kit): Promise<void> {
  await kit.check(
    '4.missed',
    'gets what its webhook missed, where the manifest says so',
    'Serve /missed-since with redeliveries or requests, each under the id of its delivery, or set no webhook.missed_since.',
    async () => {
      const { webhook } = kit.manifest;
      if (!isJsonObject(webhook) || webhook.missed_since !== true) {
        throw new NotApplicable('the manifest sets no webhook.missed_since');
      }
      const until = Date.now();
      const call = {
        credentials: kit.credentials,
        webhook_url: 'https://gatehouse.example/api/v1/webhooks/conformance',
        since: new Date(until - HOUR_MS).toISOString(),
        until: new Date(until).toISOString(),
        cursor: null,
      };
      const [first, second] = [await missed(kit, call), await missed(kit, call)];
      const ids = (requests: MissedRequest[]): string[] => requests.map(({ id }) => id);
      expectThat(ids(first.requests).join() === ids(second.requests).join(), second.answer, 'the same ids twice');
      for (const { headers, query, body, body_encoding } of first.requests) {
        const sample = { name: 'missed', ...(headers && { headers }), ...(query && { query }) };
        const parse = await webhookCall(kit, sample, { body: Buffer.from(body, body_encoding ?? 'utf8') });
        const answer = await kit.adapter.post('/parse-inbound', parse);
        const { event_type: type } = answered(answer);
        expectThat(typeof type === 'string' && type !== 'ignored', answer, 'a message, not an ignored one', type);
      }
    },
  );
}

async function missed(kit: Kit, call: object) {
  const answer = await kit.adapter.post('/missed-since', { ...call });
  const body = answered(answer);
  expectThat(body.ok === true, answer, 'ok true', body);
  try {
    checkAnswer('missed-since', body);
  } catch (error) {
    if (error instanceof ContractViolation)
      throw new CheckFailed(answer.request, 'an answer of the contract', error.message);
    throw error;
  }
  return { answer, requests: (body.requests ?? []) as MissedRequest[] };
}
