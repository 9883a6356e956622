import { FEATURES, type Feature } from '../../features.js';
import { isJsonObject, type JsonObject } from '../../json-value.js';
import type { Answer } from '../adapter-calls.js';
import { answered, expectThat, need, NotApplicable } from '../check.js';
import type { Kit } from '../kit.js';

type Check = (name: string, title: string, advice: string, run: (limit: number) => Promise<void>) => Promise<void>;

/** Events without a webhook: the same question twice gives the same, and asking after them gives none of them. */
async function polls(kit: Kit): Promise<void> {
  const { connect } = kit.manifest;
  if (connect === undefined) throw new NotApplicable('the manifest has no connect');
  if (isJsonObject(connect) && connect.kind === 'socket')
    throw new NotApplicable('the kit plays no provider with a socket');
  const ask = async (more: JsonObject): Promise<{ answer: Answer; ids: string[]; cursor: unknown }> => {
    const answer = await kit.adapter.post('/poll', { credentials: kit.credentials, wait_seconds: 0, ...more });
    accepted(answer);
    const { events, cursor } = answered(answer);
    const list = Array.isArray(events) ? events.filter(isJsonObject) : [];
    const isWhole =
      Array.isArray(events) && list.every(({ id, body }) => typeof id === 'string' && typeof body === 'string');
    expectThat(isWhole, answer, 'events, each with an id and a body as text', answer.json);
    return { answer, ids: list.map(({ id }) => String(id)), cursor };
  };
  const first = await ask({});
  const repeated = await ask({});
  expectThat(
    first.ids.every((id) => repeated.ids.includes(id)),
    repeated.answer,
    'the events of the first answer again',
    repeated.ids,
  );
  if (typeof first.cursor !== 'string') return;
  const after = await ask({ cursor: first.cursor });
  expectThat(!after.ids.some((id) => first.ids.includes(id)), after.answer, 'no event before the cursor', after.ids);
}

/** Each feature that the manifest lists, delivered once. */
export async function sendsFeatures(kit: Kit, check: Check): Promise<void> {
  await check(
    'attachments',
    'takes files, where the manifest says so',
    'Send message.attachments (name, content_type, content_base64), or list no files in features.',
    async () => {
      needsFeature(kit, 'files');
      const content_base64 = Buffer.from('a;b').toString('base64');
      const attachments = [{ name: 'table.csv', content_type: 'text/csv', size: 3, content_base64 }];
      accepted(await send(kit, 'with a file', { attachments }));
    },
  );
  await check(
    'edit',
    'changes a message, where the manifest says so',
    'Change the message of message.edit_of and answer its id, or list no edit in features.',
    async () => {
      needsFeature(kit, 'edit');
      const edit_of = need(kit.fixtures.deliver?.message_id, 'message to change (deliver.message_id)');
      const answer = await send(kit, 'Changed.', { edit_of });
      accepted(answer);
      expectThat(answered(answer).message_id === edit_of, answer, `message_id ${edit_of}`, answer.json);
    },
  );
  await check(
    'edit-in-parts',
    'changes a message into a longer one, where the manifest says so',
    'An answer takes the place of a short message: change it into the first part, answer its id, and send the rest.',
    async (limit) => {
      needsFeature(kit, 'edit');
      const edit_of = need(kit.fixtures.deliver?.message_id, 'message to change (deliver.message_id)');
      const text = 'word '.repeat(Math.ceil((limit * 1.5) / 5)).trim();
      const answer = await send(kit, text, { edit_of });
      accepted(answer);
      const { message_id, parts } = answered(answer);
      const count = Array.isArray(parts) ? parts.length : 0;
      expectThat(message_id === edit_of && count >= 2, answer, `message_id ${edit_of}, and two parts or more`, {
        message_id,
        count,
      });
    },
  );
  await check(
    'actions',
    'shows actions, where the manifest says so',
    'Show message.actions below the text, up to five of them, or list no actions in features.',
    async () => {
      needsFeature(kit, 'actions');
      const actions = [1, 2, 3, 4, 5].map((number) => ({
        id: `choice${number}`,
        label: `Choice ${number}`,
        style: ['primary', 'danger', 'default'][number % 3],
        value: 'v'.repeat(48),
      }));
      accepted(await send(kit, 'Which one?', { actions }));
    },
  );
  await check(
    'reactions',
    'reacts to a message, where the manifest says so',
    'Add message.reaction to the message of message.reaction_to, also without a text, or list no reactions in features.',
    async () => {
      needsFeature(kit, 'reactions');
      const reaction_to = need(kit.fixtures.deliver?.message_id, 'message to react to (deliver.message_id)');
      accepted(await send(kit, '', { reaction_to, reaction: kit.fixtures.deliver?.reaction ?? '👍' }));
    },
  );
  await check(
    'poll',
    'gives its events without a webhook, where the manifest says so',
    'Serve /poll: events from the cursor on, the same until a later cursor is asked for; or leave connect out.',
    () => polls(kit),
  );
  await check(
    'typing',
    'shows that an answer is written, where the manifest says so',
    'Serve /indicate with ok true for working and done, or list no typing in features.',
    async () => {
      needsFeature(kit, 'typing');
      const { channel_address, thread_id = '' } = need(kit.fixtures.deliver, 'deliver');
      for (const state of ['working', 'done']) {
        const shown = { credentials: kit.credentials, channel_address, thread_id, state };
        accepted(await kit.adapter.post('/indicate', shown));
      }
    },
  );
}

function send(kit: Kit, text: string, more: JsonObject): Promise<Answer> {
  const { channel_address, thread_id = '' } = need(kit.fixtures.deliver, 'deliver');
  return kit.adapter.post('/deliver', {
    credentials: kit.credentials,
    channel_address,
    message: { text, format: 'plain', thread_id, ...more },
    idempotency_key: `conformance-${Object.keys(more).join('-')}`,
  });
}

function accepted(answer: Answer): void {
  expectThat(answered(answer).ok === true, answer, 'ok true', answer.json);
}

function needsFeature({ manifest }: Kit, feature: Feature): void {
  const { features, message } = manifest;
  const listed = Array.isArray(features) ? FEATURES.filter((each) => features.includes(each)) : [];
  const takesFiles = isJsonObject(message) && message.attachments === true;
  if (listed.includes(feature) || (feature === 'files' && takesFiles)) return;
  throw new NotApplicable(`the manifest does not list ${feature}`);
}
