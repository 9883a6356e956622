import { DELIVER_ERRORS, type DeliverError } from '../../delivery.js';
import { isJsonObject, type JsonObject } from '../../json-value.js';
import type { AdapterCalls, Answer } from '../adapter-calls.js';
import { answered, CheckFailed, expectThat, need, Skipped } from '../check.js';
import { FAULTS, type Fault } from '../fixtures.js';
import type { Kit } from '../kit.js';
import { RETRY_AFTER_SECONDS } from '../start-fake-provider.js';
import type { FakeProvider } from '../fake-provider.js';
import { sendsFeatures } from './09-features.js';
import type { Point } from './point.js';

const SPLIT_ADVICE =
  'Split long text in the adapter, at safe places and in order; cut nothing off (message.max_length is the limit).';
const FAULT_ADVICE =
  'Answer HTTP 200 with ok false, the code of the design, and error_detail.retry_after where the provider names a wait.';

const CODES: Record<Fault, readonly DeliverError[]> = {
  unauthorized: ['auth_failed'],
  forbidden: ['permission_denied'],
  not_found: ['not_found'],
  rate_limited: ['rate_limited'],
  unavailable: ['provider_unavailable'],
  timeout: ['timeout'],
};

export const delivering: Point = {
  number: 9,
  title: '/deliver sends everything once and names what went wrong',
  async run(kit) {
    const check = (name: string, title: string, advice: string, run: (limit: number) => Promise<void>): Promise<void> =>
      kit.check(`9.${name}`, title, advice, async () => {
        kit.needsCapability('send');
        needProvider(kit);
        await run(limitOf(kit));
      });

    await check('empty', 'refuses an empty message without sending it', 'Answer invalid_request.', async () => {
      const answer = await deliver(kit, '');
      expectThat(answered(answer).error === 'invalid_request', answer, 'error "invalid_request"', answer.json);
      expectThat(needProvider(kit).texts().length === 0, answer, 'nothing sent', needProvider(kit).texts());
    });
    await check('limit', 'sends a text of exactly the limit as one part', SPLIT_ADVICE, async (limit) => {
      await arrives(kit, limit, words(limit), (parts) => parts === 1, 'one part');
    });
    await check('limit-and-one', 'sends a text over the limit by one in parts', SPLIT_ADVICE, async (limit) => {
      await arrives(kit, limit, words(limit + 1), (parts) => parts >= 2, 'two parts or more');
    });
    await check('ten-times', 'sends ten times the limit whole and in order', SPLIT_ADVICE, async (limit) => {
      await arrives(kit, limit, words(limit * 10), (parts) => parts >= 10, 'ten parts or more');
    });
    await check('emoji', 'splits between emoji, never within one', SPLIT_ADVICE, async (limit) => {
      await deliverAll(kit, '😀'.repeat(limit), ({ text }) => {
        const whole = text.replaceAll(/[^\u{1f600}\ufffd\ud83d\ude00]/gu, '');
        return whole === '😀'.repeat(limit) ? undefined : `${limit} emoji, none torn apart`;
      });
    });
    await check('fence', 'closes and reopens a code fence that a split falls into', SPLIT_ADVICE, async (limit) => {
      const code = words(limit * 2).replaceAll(' ', '\n');
      await deliverAll(kit, `\`\`\`\n${code}\n\`\`\``, ({ parts, text }) => {
        if (parts.some((part) => (part.match(/^```/gm) ?? []).length % 2 === 1))
          return 'every fence closed in its part';
        return wordsIn(text) === wordsIn(code) ? undefined : 'every line of the code, once and in order';
      });
    });
    await check(
      'no-thread',
      'takes an empty thread_id as no thread',
      'Send the message to the channel itself: the contract has a thread_id in every delivery.',
      () => withoutThread(kit),
    );
    await sendsFeatures(kit, (name, title, advice, run) => check(name, title, advice, run));
    for (const fault of FAULTS) {
      await check(
        fault.replaceAll('_', '-'),
        `maps the provider's ${fault.replaceAll('_', ' ')} to its code`,
        FAULT_ADVICE,
        () => mapsFault(kit, fault),
      );
    }
    await check(
      'resume',
      'stops at the part that fails, and a retry sends the rest only',
      'Report delivered_parts with the failure and start at from_part: the platform hands one back as the other.',
      (limit) => resumes(kit, limit, kit.adapter, kit.adapter),
    );
  },
};

async function withoutThread(kit: Kit): Promise<void> {
  const text = 'To no thread.';
  const answer = await deliver(kit, text, { message: { text, format: 'plain', thread_id: '' } });
  expectThat(answered(answer).ok === true, answer, 'ok true', answer.json);
}

/** The fake provider, or the check is skipped. */
export function needProvider(kit: Kit): FakeProvider {
  need(kit.fixtures.deliver, 'deliver');
  return need(kit.provider, 'provider that the adapter talks to (provider.routes)');
}

export function deliver(
  kit: Kit,
  text: string,
  more: JsonObject = {},
  calls: AdapterCalls = kit.adapter,
): Promise<Answer> {
  const { channel_address, thread_id = '' } = need(kit.fixtures.deliver, 'deliver');
  return calls.post('/deliver', {
    credentials: kit.credentials,
    channel_address,
    message: { text, format: 'markdown', thread_id },
    idempotency_key: `conformance-${text.length}`,
    ...more,
  });
}

/** Of five parts, the third fails on one instance, and the rest goes out through another: each word arrives once. */
export async function resumes(kit: Kit, limit: number, before: AdapterCalls, after: AdapterCalls): Promise<void> {
  const provider = needProvider(kit);
  const text = words(limit * 4);
  provider.fail('unavailable', 'send', 2);
  const failed = await deliver(kit, text, {}, before);
  const { ok, delivered_parts } = answered(failed);
  expectThat(ok === false && delivered_parts === 2, failed, 'ok false and delivered_parts 2');
  const first = provider.texts();
  provider.reset();
  const resumed = await deliver(kit, text, { from_part: 2 }, after);
  expectThat(answered(resumed).ok === true, resumed, 'ok true');
  const arrived = wordsIn([...first, ...provider.texts()].join('\n'));
  expectThat(
    arrived === wordsIn(text),
    resumed,
    'every word once, the parts of both attempts together',
    countOf(arrived),
  );
}

export function limitOf(kit: Kit): number {
  const declared = isJsonObject(kit.manifest.message) ? kit.manifest.message.max_length : undefined;
  if (typeof declared !== 'number') throw new Skipped('the manifest declares no message.max_length');
  return declared;
}

async function mapsFault(kit: Kit, fault: Fault): Promise<void> {
  const provider = needProvider(kit);
  provider.fail(fault, 'send');
  const answer = await deliver(kit, 'One part.');
  const { ok, error, error_detail } = answered(answer);
  const special = kit.fixtures.deliver?.faults?.[fault];
  const codes = special?.expect === undefined ? CODES[fault] : [special.expect];
  expectThat(ok === false && DELIVER_ERRORS.some((code) => code === error), answer, 'ok false and a known error code');
  expectThat(
    codes.some((code) => code === error),
    answer,
    `error ${codes.join(' or ')}`,
    error,
  );
  if (fault !== 'rate_limited') return;
  const wait = isJsonObject(error_detail) ? error_detail.retry_after : undefined;
  const expected = Number(special ? special.headers?.['retry-after'] : RETRY_AFTER_SECONDS);
  if (!Number.isNaN(expected)) expectThat(wait === expected, answer, `error_detail.retry_after ${expected}`, wait);
}

async function arrives(
  kit: Kit,
  limit: number,
  text: string,
  fits: (parts: number) => boolean,
  expected: string,
): Promise<void> {
  await deliverAll(kit, text, (taken) => {
    if (!fits(taken.parts.length)) return expected;
    if (taken.parts.some((part) => part.length > limit)) return `parts of at most ${limit} characters`;
    return wordsIn(taken.text) === wordsIn(text) ? undefined : 'every word, once and in order';
  });
}

type Taken = { parts: string[]; text: string };

async function deliverAll(kit: Kit, text: string, problem: (taken: Taken) => string | undefined): Promise<void> {
  const provider = needProvider(kit);
  const answer = await deliver(kit, text);
  const { ok, message_id } = answered(answer);
  expectThat(ok === true && typeof message_id === 'string', answer, 'ok true and a message_id');
  const parts = provider.texts();
  const expected = problem({ parts, text: parts.join('\n') });
  if (expected !== undefined) {
    const lengths = parts.map((part) => part.length).join(', ');
    throw new CheckFailed(answer.request, expected, `${parts.length} parts of ${lengths} characters`);
  }
}

/** Numbered words, `length` characters in all, so that a loss, a repetition or a wrong order is visible. */
function words(length: number): string {
  let text = '';
  for (let number = 0; text.length < length; number++) text += `w${number} `;
  return text.slice(0, length).replace(/ $/, '.');
}

function wordsIn(text: string): string {
  return (text.match(/w\d+/g) ?? []).join(' ');
}

function countOf(arrived: string): string {
  return `${arrived === '' ? 0 : arrived.split(' ').length} words`;
}
