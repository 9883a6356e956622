import type { LimitNotice, NormalizedMessage } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ChannelRow } from '../../entities/rules.entity.js';
import type { StoredMessage } from '../../entities/message.entity.js';
import { jobOf, type RouterWorld, routerWorld } from '../../testing/router-world.js';
import { OutboundRepository } from '../guards/outbound.handler.js';
import { RoutingService } from './routing.service.js';
import { targetOf } from '../handover/turn-handover.service.js';

const words = 'Kein Anschluss bis {until}. {limit}';

describe('the notice of a limit', () => {
  let world: RouterWorld;
  let router: NestFastifyApplication;
  let now = Date.parse('2026-03-02T09:00:00Z');

  beforeAll(async () => {
    world = await routerWorld();
    router = await world.start({ LOOP_SAME_TEXTS: 3, LOOP_COOLDOWN_MS: 600_000 });
  });
  beforeEach(() => world.setTime(now));
  afterAll(() => world.close());

  const channel = (over: Partial<ChannelRow> = {}): Promise<string> =>
    world.channel({ unknown_senders: 'open', limit_notice: words, ...over });
  const route = async (appId: string, ...messages: Partial<NormalizedMessage>[]): Promise<StoredMessage[]> => {
    const jobs = messages.map((message) => jobOf(appId, message));
    const routing = router.get(RoutingService, { strict: false });
    await Promise.all(jobs.map((job) => routing.route(job, 1)));
    return world.messages('WHERE receipt_id = ANY($1) ORDER BY receipt_id', [jobs.map(({ receipt_id }) => receipt_id)]);
  };
  const send = async (appId: string, message: Partial<NormalizedMessage> = {}): Promise<StoredMessage> =>
    (await route(appId, message))[0] as StoredMessage;
  const noticesOf = (...messages: StoredMessage[]): LimitNotice[] =>
    messages.flatMap(({ turns }) => turns.flatMap(({ input }) => input.limit_notice ?? []));
  const timelineOf = async ({ receipt_id }: StoredMessage): Promise<{ notice?: string }> => {
    const sql = `SELECT detail FROM ${everyEntry} e WHERE receipt_id = $1 AND stage = 'routed'`;
    return (await world.row<{ detail: { notice?: string } }>(sql, [receipt_id])).detail;
  };
  /** Limits the contact of a sender that has written once. */
  const limited = async (appId: string, daily_budget: number, sender = 'ada'): Promise<void> => {
    await send(appId, { sender });
    const sql = 'SELECT contact_id FROM router.contact_identity WHERE app_id = $1 AND sender = $2';
    const { contact_id } = await world.row<{ contact_id: string }>(sql, [appId, sender]);
    expect((await world.call('PATCH', `contacts/${contact_id}`, { daily_budget })).status).toBe(200);
  };
  /** The sender repeats itself and is answered, until it is paused. @returns the message that began the pause */
  const paused = async (
    appId: string,
    message: Partial<NormalizedMessage> = {},
    last = message,
  ): Promise<StoredMessage> => {
    for (let n = 0; n < 2; n += 1) {
      expect(await send(appId, message)).toMatchObject({ outcome: 'routed' });
      const sent = { app_id: appId, sender: 'ada', message_ids: [], text_hash: null, delivery_id: `dlv_${n}` };
      await router.get(OutboundRepository, { strict: false }).note(sent, now);
    }
    const began = await send(appId, last);
    expect(began).toMatchObject({ outcome: 'loop_paused', reason: 'identical_texts' });
    return began;
  };

  it('goes to a contact over its messages of the day once, in the words of the channel, with the limit', async () => {
    const appId = await channel();
    await limited(appId, 2);
    await route(appId, {}, {});
    const over = await route(appId, {}, {}, {}, {});
    expect(over.map(({ outcome, reason }) => [outcome, reason])).toEqual(
      over.map(() => ['blocked_contact', 'daily_budget']),
    );
    expect(noticesOf(...over)).toEqual([
      { limit: 'messages', text: expect.stringMatching(/^Kein Anschluss bis \S+ 00:00 UTC\. The limit/) },
    ]);
    expect(noticesOf(...over)[0]?.text).toContain('2 messages are answered for you each day.');
    const turn = over.flatMap(({ turns }) => turns.map(targetOf))[0];
    expect(turn).toMatchObject({
      run: null,
      session: null,
      input: { reply: { channel_address: 'ada', answers: 'ada' } },
    });
    const timelines = await Promise.all(over.map(timelineOf));
    expect(timelines.filter(({ notice }) => notice === 'The sender is informed once.')).toHaveLength(1);
    expect(timelines.filter(({ notice }) => notice?.includes('was informed today'))).toHaveLength(3);
    // A higher budget that is reached again is the same day.
    await limited(appId, 8);
    expect(noticesOf(...(await route(appId, {}, {}, {})))).toEqual([]);
    await world.pool.query('UPDATE router.contact_day SET day = day - 1');
    await limited(appId, 1);
    expect(noticesOf(...(await route(appId, {}, {}, {})))).toHaveLength(1);
  });

  it('goes to a contact, not to each of its senders and Apps', async () => {
    const [first, second] = [await channel(), await channel()];
    await limited(first, 1);
    await limited(second, 1);
    const ids = await world.query<{ contact_id: string }>(
      'SELECT contact_id FROM router.contact_identity WHERE app_id = ANY($1) ORDER BY app_id = $2',
      [[first, second], first],
    );
    const [from, into] = ids.map(({ contact_id }) => contact_id);
    const merged = await world.call('POST', `contacts/${into}/merge`, { into: from });
    expect(merged.status).toBeLessThan(300);
    const over = [...(await route(first, {}, {}, {})), ...(await route(second, {}, {}, {}))];
    expect(noticesOf(...over)).toHaveLength(1);
  });

  it('goes to a paused sender once a pause, and names its end', async () => {
    const appId = await channel();
    const [notice] = noticesOf(await paused(appId));
    expect(notice).toEqual({ limit: 'pause', text: expect.stringContaining('bis 2026-03-02 09:10 UTC. Messages and') });
    const next = await send(appId, { message: 'what?' });
    expect(next).toMatchObject({ outcome: 'loop_paused', turns: [] });
    expect((await timelineOf(next)).notice).toContain('was informed of the pause');
    world.setTime((now += 700_000));
    expect(noticesOf(await paused(appId))).toHaveLength(1);
  });

  it('goes to a paused sender once, by two routers at once, when the message that began the pause could get none', async () => {
    const other = await world.start({ LOOP_SAME_TEXTS: 3, LOOP_COOLDOWN_MS: 600_000 });
    const appId = await channel({ limit_notice: 'Bis {until}' });
    const began = await paused(appId, {}, { metadata: { channel_address: null } });
    expect((await timelineOf(began)).notice).toContain('no reply address');
    const jobs = Array.from({ length: 8 }, () => jobOf(appId, {}));
    const route = (job: (typeof jobs)[number], index: number): Promise<unknown> =>
      (index % 2 ? router : other).get(RoutingService, { strict: false }).route(job, 1);
    await Promise.all(jobs.map(route));
    const stored = await world.messages('WHERE receipt_id = ANY($1)', [jobs.map(({ receipt_id }) => receipt_id)]);
    expect(stored).toHaveLength(8);
    expect(noticesOf(...stored)).toEqual([{ limit: 'pause', text: expect.stringMatching(/^Bis 2026-03-02 .* UTC$/) }]);
  });

  it.each<[string, Partial<ChannelRow>, Partial<NormalizedMessage>, string]>([
    ['where the channel sends none', { limit_notice: null }, {}, 'limit_notice is null'],
    ['without an address', {}, { metadata: { channel_address: null } }, 'no reply address'],
    ['to another bot', { bots: 'chief_of_staff' }, { metadata: { from_bot: true } }, 'A bot wrote'],
    ['to another bot', { bots: 'chief_of_staff' }, { metadata: { sender: { is_bot: true } } }, 'A bot wrote'],
    ['where nothing would have answered', { route_policy: 'triggers' }, {}, 'Nothing would have answered'],
    ...[{ auto_submitted: 'auto-replied' }, { bounce: true }, { mailing_list: true }, { notification: true }].map(
      (metadata): [string, Partial<ChannelRow>, Partial<NormalizedMessage>, string] => [
        `to a machine (${Object.keys(metadata).join()})`,
        { automatic: 'chief_of_staff' },
        { metadata },
        'not answered',
      ],
    ),
  ])(
    'is not sent %s, the timeline says why, and the next message of a person gets it',
    async (_what, over, message, why) => {
      const appId = await channel(over);
      await limited(appId, 1);
      await send(appId);
      const silent = await send(appId, message);
      expect(silent).toMatchObject({ reason: 'daily_budget', turns: [] });
      if (!message.metadata?.['notification']) expect((await timelineOf(silent)).notice).toContain(why);
      const later = noticesOf(await send(appId));
      expect(later).toHaveLength(Object.keys(message).length > 0 ? 1 : 0);
    },
  );

  it('is not sent to a bot that is paused', async () => {
    const appId = await channel({ bots: 'chief_of_staff' });
    const began = await paused(appId, { metadata: { from_bot: true } });
    expect(began.turns).toEqual([]);
    expect((await timelineOf(began)).notice).toContain('A bot wrote');
  });
});
