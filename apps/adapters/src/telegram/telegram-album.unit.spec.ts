import type { JsonObject } from '#libs/adapter-sdk';
import { hostAdapter, type AdapterHost } from '../testing/adapter-host.js';
import { createTelegramAdapter } from './telegram.adapter.js';

let adapter: AdapterHost;
beforeAll(async () => {
  adapter = await hostAdapter(createTelegramAdapter);
});
afterAll(() => adapter.close());

function parse(update: number, more: JsonObject, kind = 'message'): Promise<JsonObject> {
  const message = {
    message_id: update,
    date: 1_700_000_010,
    from: { id: 7, is_bot: false, first_name: 'Ada' },
    chat: { id: 7, type: 'private' },
    photo: [{ file_id: `P${update}`, file_unique_id: `u${update}` }],
    ...more,
  };
  const body = JSON.stringify({ update_id: update, [kind]: message });
  return adapter.call('parse-inbound', { credentials: { token: '1:abc' }, request: { headers: {}, body } });
}

const files = ({ metadata }: JsonObject): unknown =>
  (metadata as { attachments: { fetch_ref: string }[] }).attachments.map(({ fetch_ref }) => fetch_ref);

describe('an album', () => {
  it('is one message with all its files in order, whatever comes first, and again when it is parsed again', async () => {
    const group = { media_group_id: 'g1' };
    const sent = [parse(12, group), parse(11, { ...group, caption: 'look' }), parse(13, group)];
    const parsed = await Promise.all(sent);
    const whole = parsed.filter(({ event_type }) => event_type === 'message_received');
    expect(whole.map((message) => [message.message, files(message)])).toEqual([['look', ['P11', 'P12', 'P13']]]);
    const parts = parsed.filter(({ event_type }) => event_type === 'ignored');
    expect(parts.map(({ metadata }) => metadata)).toMatchObject(
      Array.from({ length: 2 }, () => ({ ignored_reason: 'part_of_album' })),
    );
    const at = parsed.findIndex(({ event_type }) => event_type === 'message_received');
    expect(await parse([12, 11, 13][at] ?? 0, group)).toEqual(whole[0]);
  });

  it('of which a part comes late loses none: that is a message of its own', async () => {
    const group = { media_group_id: 'g2' };
    expect(files(await parse(21, group))).toEqual(['P21']);
    const late = await parse(22, group);
    expect([late.event_type, files(late)]).toEqual(['message_received', ['P22']]);
  });

  it('is no other one, and an edit of a part is an edit', async () => {
    const [one, other] = await Promise.all([parse(31, { media_group_id: 'g3' }), parse(32, { media_group_id: 'g4' })]);
    expect([files(one), files(other)]).toEqual([['P31'], ['P32']]);
    expect(await parse(33, { media_group_id: 'g3', caption: 'new' }, 'edited_message')).toMatchObject({
      event_type: 'message_edited',
      message: 'new',
    });
  });
});
