import { approvalValue, newId, type NormalizedMessage } from '#libs/contracts';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ChannelRow } from '../../entities/rules.entity.js';
import type { StoredMessage } from '../../entities/message.entity.js';
import { jobOf, type RouterWorld, routerWorld } from '../../testing/router-world.js';
import { RoutingService } from './routing.service.js';
import { targetOf } from '../handover/turn-handover.service.js';

let world: RouterWorld;
let router: NestFastifyApplication;

beforeAll(async () => {
  world = await routerWorld();
  router = await world.start();
});
afterAll(() => world.close());

const channel = (over: Partial<ChannelRow> = {}): Promise<string> =>
  world.channel({ unknown_senders: 'open', ...over });

async function send(
  appId: string,
  message: Partial<NormalizedMessage>,
  over: Parameters<typeof jobOf>[2] = {},
): Promise<StoredMessage> {
  const job = jobOf(appId, { sender: 'ada', ...message }, over);
  await router.get(RoutingService, { strict: false }).route(job, 1);
  return world.message(job.receipt_id);
}

const pressOf = (id: string, value: string): Partial<NormalizedMessage> => ({
  event_type: 'action',
  message: value,
  metadata: { action: { id, value, message_id: 'm1' } },
});

describe('a decision about a call that waits for approval', () => {
  it.each([
    ['a press', pressOf('approve', approvalValue('tok'))],
    ['words', { message: `Refuse ${newId('apr')}` }],
    ['words with an id of 32 digits', { message: `Refuse apr_${'0'.repeat(32)}` }],
  ])(
    'by %s takes a turn of no session, where the conversation is held up or goes to triggers alone',
    async (_by, decision) => {
      const appId = await channel({ route_policy: 'triggers', session_scope: 'channel' });
      const row = await send(appId, decision);
      expect(row).toMatchObject({ outcome: 'routed', verdicts: [] });
      expect(row.turns.map(targetOf)).toMatchObject([
        { session: null, run: null, agent_id: null, input: { trust: 'unknown', contact_id: row.contact_id } },
      ]);
      expect(row.turns[0]?.input.reply).toMatchObject({ channel_address: 'ada' });
    },
  );

  it.each([
    ['another choice', pressOf('approve', 'ship it')],
    ['another id', pressOf('ship', approvalValue('tok'))],
    ['words within a text', { message: `please approve ${newId('apr')}` }],
    ['words without an approval', { message: 'approve' }],
  ])('is no other message: %s is routed like any', async (_what, message) => {
    const row = await send(await channel(), message);
    expect(row.turns).toMatchObject([{ session: { contact_id: row.contact_id } }]);
  });

  it('of a sender who is held waits with them', async () => {
    const row = await send(await channel({ unknown_senders: 'hold' }), pressOf('approve', approvalValue('tok')));
    expect(row).toMatchObject({ outcome: 'held_unknown_sender', turns: [] });
  });
});

describe('a reply', () => {
  const replyTo = async (appId: string, message: object) => (await send(appId, message)).turns[0]?.input.reply;

  it("goes to the message's address, else to the channel's, which may change until it is sent, else to the sender", async () => {
    const set = await channel({ reply_address: 'lobby' });
    expect(await replyTo(set, { metadata: { channel_address: 'C1' } })).toMatchObject({ channel_address: 'C1' });
    expect(await replyTo(set, { metadata: { channel_address: 'C1' } })).not.toHaveProperty('by_channel');
    expect(await replyTo(set, {})).toMatchObject({ channel_address: 'lobby', by_channel: true });
    const unset = await replyTo(await channel(), {});
    expect(unset).toMatchObject({ channel_address: 'ada' });
    expect(unset).not.toHaveProperty('by_channel');
  });
});

describe('where a contact is alone with an App', () => {
  const addressOf = async (contact: string | null) =>
    (await world.internal<{ address: object | null }>('GET', `contacts/${contact}/private-address`)).body.address;
  const admitted = async (contact: string | null) => world.call('POST', `contacts/${contact}/admit`);

  it('is that of its last private message that came authenticated and can be answered', async () => {
    const appId = await channel();
    const dm = { is_dm: true, metadata: { channel_address: 'D1', reply_context: { a: 1 } } };
    const { contact_id } = await send(appId, dm);
    expect(await addressOf(contact_id)).toBe(null);
    await admitted(contact_id);
    await send(appId, { is_dm: false, metadata: { channel_address: 'C1' } });
    await send(appId, { metadata: { channel_address: 'C2' } });
    await send(appId, { is_dm: true, metadata: { channel_address: 'D2' } }, { verified_scheme: 'none' });
    await send(appId, { is_dm: true, metadata: { channel_address: 'D3' } }, { app_sends: false });
    await send(appId, { is_dm: true, metadata: { channel_address: null } });
    expect(await addressOf(contact_id)).toMatchObject({
      app_id: appId,
      channel_address: 'D1',
      sender: 'ada',
      reply_context: { a: 1 },
    });
    await send(appId, { is_dm: true });
    expect(await addressOf(contact_id)).toMatchObject({ channel_address: 'ada' });
  });

  it('is the address that it last wrote a mail from, where that is asked for', async () => {
    const appId = await channel();
    const mail = (over: object = {}, metadata: object = {}) => ({
      event_type: 'email_received',
      sender: 'ada@x.example',
      metadata: {
        channel_address: 'elsewhere@y.example',
        reply_context: { message_id: '<1@x>' },
        auto_submitted: false,
        mailing_list: false,
        ...metadata,
      },
      ...over,
    });
    const { contact_id } = await send(appId, mail());
    const byMail = async () =>
      (
        await world.internal<{ address: object | null }>(
          'GET',
          `contacts/${contact_id}/private-address?or_by_mail=true`,
        )
      ).body.address;
    expect(await byMail()).toBe(null);
    await admitted(contact_id);
    expect(await addressOf(contact_id)).toBe(null);
    const own = { app_id: appId, channel_address: 'ada@x.example', thread_id: null, reply_context: null };
    expect(await byMail()).toEqual({ ...own, sender: 'ada@x.example' });
    await send(appId, { is_dm: true, sender: 'ada@x.example', metadata: { channel_address: 'D1' } });
    expect(await byMail()).toMatchObject({ channel_address: 'D1' });
  });

  it.each([
    ['of a list', {}, { mailing_list: true }],
    ['of a list of people', {}, { list_address: 'team@x.example' }],
    ['that a machine sent', {}, { auto_submitted: true }],
    ['that a group forwards', { sender: 'ada@x.example via team@x.example' }, {}],
    ['that nothing says who wrote', {}, { auto_submitted: undefined }],
  ])('is no address of a mail %s', async (_what, over, metadata) => {
    const base = { auto_submitted: false, mailing_list: false, ...metadata };
    const message = { event_type: 'email_received', sender: 'bob@x.example', metadata: base, ...over };
    const { contact_id } = await send(await channel(), message);
    await admitted(contact_id);
    const path = `contacts/${contact_id}/private-address?or_by_mail=true` as const;
    expect((await world.internal<{ address: object | null }>('GET', path)).body.address).toBe(null);
  });

  it('is nowhere for who only writes where others read, and not informed of another project', async () => {
    const { contact_id } = await send(await channel(), { is_dm: false });
    await admitted(contact_id);
    expect(await addressOf(contact_id)).toBe(null);
    const absent = await world.internal<{ code: string }>('GET', `contacts/${newId('con')}/private-address`);
    expect([absent.status, absent.body.code]).toEqual([404, 'contact_not_found']);
  });
});
