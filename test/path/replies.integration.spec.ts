import { newId } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import type { SessionTurnView } from '../../apps/engine/src/manage/sessions/session-turn.dto.js';
import { ProjectRules } from '../../apps/router/src/path/rules/project-rules.js';
import { caller } from '../../apps/router/src/testing/router-world.js';
import type { TriggerRow, WorkflowRow } from '../../apps/router/src/entities/rules.entity.js';
import { type PathWorld, pathWorld } from './path-world.js';

describe('the reply to a message', () => {
  let world: PathWorld;

  beforeAll(async () => {
    world = await pathWorld();
  });
  afterAll(() => world.close());

  const open = { unknown_senders: 'open' } as const;

  async function receive(appId: string, message: object, over: object = {}) {
    const receipt = await world.receive(appId, message, over);
    const row = await world.message(receipt);
    const turns = await world.turnsOf(receipt);
    return { row, turns, input: turns[0]?.input };
  }
  async function trigger(appId: string, rules: object = {}): Promise<void> {
    const { body } = await world.call<WorkflowRow>('POST', 'workflows', { name: 'w', instructions: 'read' });
    await world.call<TriggerRow>('POST', 'triggers', { app_id: appId, workflow_id: body.id, ...rules });
    world.router.get(ProjectRules, { strict: false }).forget(caller.projectId);
  }
  const routedEntry = (receiptId: string) =>
    until('the routing is in the timeline', async () => {
      const [entry] = await world.query<{ outcome: string; reason: string | null; detail: Record<string, unknown> }>(
        `SELECT outcome, reason, detail FROM ${everyEntry} e WHERE receipt_id = $1 AND stage = 'routed'`,
        [receiptId],
      );
      return entry;
    });

  it('goes to the sender, in the thread of the message, where an adapter names no address', async () => {
    const appId = await world.channel(open);
    const { input, row } = await receive(appId, { sender: 'ada@example.com', thread_id: 't-1' });
    expect(input?.reply).toMatchObject({ app_id: appId, channel_address: 'ada@example.com', thread_id: 't-1' });
    expect(input).not.toHaveProperty('reply_withheld');
    expect(row.reply_withheld).toBeNull();
  });

  it('goes to the address of the adapter before that of the channel, and to that of the channel before the sender', async () => {
    const appId = await world.channel({ ...open, reply_address: 'room-of-the-channel' });
    const named = await receive(appId, { metadata: { channel_address: 'room-1' } });
    expect(named.input?.reply?.channel_address).toBe('room-1');
    expect((await receive(appId, {})).input?.reply?.channel_address).toBe('room-of-the-channel');
  });

  it('goes nowhere where the adapter says by null that nobody can be answered, unless the channel has an address', async () => {
    const message = { metadata: { channel_address: null } };
    const { input } = await receive(await world.channel(open), message);
    expect(input).toMatchObject({ reply: null, reply_withheld: 'no_address' });
    const appId = await world.channel({ ...open, reply_address: 'room-1' });
    expect((await receive(appId, message)).input?.reply?.channel_address).toBe('room-1');
  });

  it('uses neither the sender nor the payload of the built-in Webhook App as address, only that of the channel', async () => {
    const message = { sender: 'http://sender.example/', metadata: { channel_address: 'http://payload.example/' } };
    const builtin = { app_kind: 'builtin' };
    const { input, row } = await receive(await world.channel({}), message, builtin);
    expect(input).toMatchObject({ reply: null, reply_withheld: 'no_address' });
    expect(row).toMatchObject({ outcome: 'routed', reply_withheld: 'no_address' });
    const { detail } = await routedEntry(row.receipt_id);
    expect(detail).toMatchObject({ reply_withheld: 'no_address', advice: expect.stringContaining('reply_address') });
    const appId = await world.channel({ reply_address: 'http://replies.example/' });
    expect((await receive(appId, message, builtin)).input?.reply?.channel_address).toBe('http://replies.example/');
  });

  it('says whether its channel shows that an answer is written', async () => {
    const shown = await receive(await world.channel(open), {}, { app_types: true, app_interim: 'once' });
    expect(shown.input?.reply).toMatchObject({ typing: true, interim: 'once' });
    expect((await receive(await world.channel(open), {})).input?.reply).not.toHaveProperty('typing');
  });

  it('expires after the time that its channel names, and never where it names none', async () => {
    const expiring = await receive(await world.channel({ ...open, reply_ttl_seconds: 600 }), {});
    expect(expiring.input?.reply).toMatchObject({ ttl_seconds: 600 });
    const lasting = await receive(await world.channel(open), {});
    expect(lasting.input?.reply).not.toHaveProperty('ttl_seconds');
  });

  it('is withheld where the App cannot send, also when the message is replayed', async () => {
    const appId = await world.channel(open);
    await trigger(appId);
    const { turns, row } = await receive(appId, {}, { app_sends: false });
    expect(turns).toHaveLength(2);
    for (const { input } of turns) expect(input).toMatchObject({ reply: null, reply_withheld: 'app_cannot_send' });
    await world.call('POST', `runs/${turns.find(({ run_id }) => run_id)?.run_id}/replay`, { deliver: true });
    const replayed = await world.turnsOf(row.receipt_id);
    expect(replayed).toHaveLength(3);
    expect(replayed.every(({ input }) => input?.reply_withheld === 'app_cannot_send')).toBe(true);
  });

  it('is withheld from a replay without delivery', async () => {
    const appId = await world.channel({ ...open, route_policy: 'triggers' });
    await trigger(appId);
    const { turns } = await receive(appId, {});
    const runId = turns[0]?.run_id;
    await world.call('POST', `runs/${runId}/replay`, { deliver: false });
    const replayed = (await world.turnsOf(turns[0]?.receipt_id ?? '')).find(({ run_id }) => run_id !== runId);
    expect(replayed?.input).toMatchObject({ reply: null, reply_withheld: 'delivery_off' });
  });

  describe.each([
    ['automatic_message', { auto_submitted: 'auto-replied' }],
    ['automatic_message', { auto_submitted: true }],
    ['bounce', { bounce: true, auto_submitted: true }],
    ['mailing_list', { mailing_list: true, auto_submitted: true }],
    ['notification', { notification: true, auto_submitted: true }],
  ])('that is a %s (%j)', (kind, metadata) => {
    it('is withheld, and triggers still read the message', async () => {
      const appId = await world.channel(open);
      await trigger(appId);
      const { row, turns } = await receive(appId, { metadata });
      expect(row).toMatchObject({ outcome: 'routed', chief_of_staff: kind, reply_withheld: kind });
      expect(turns).toHaveLength(1);
      expect(turns[0]).toMatchObject({ session_id: null, input: { reply: null, reply_withheld: kind } });
      expect(await routedEntry(row.receipt_id)).toMatchObject({
        outcome: 'routed',
        detail: { reply_withheld: kind, chief_of_staff: `kept_from: ${kind}`, advice: expect.any(String) },
      });
    });

    it('is withheld even where the channel gives the message to the Chief of Staff', async () => {
      const { row, input } = await receive(await world.channel({ ...open, automatic: 'chief_of_staff' }), { metadata });
      expect(row).toMatchObject({ outcome: 'routed', chief_of_staff: 'taken' });
      expect(input).toMatchObject({ reply: null, reply_withheld: kind });
    });

    it('ends with a reason, without a reply, where no trigger reads the message', async () => {
      const { row } = await receive(await world.channel(open), { metadata });
      expect(row).toMatchObject({ outcome: 'no_match', reason: `no_trigger_for_${kind}` });
    });
  });

  it('still goes to the person where an absence note joins a debounced run', async () => {
    const appId = await world.channel({ ...open, route_policy: 'triggers' });
    await trigger(appId, { debounce_seconds: 60 });
    const { turns } = await receive(appId, { message: 'a question' });
    await receive(appId, { message: 'I am away.', metadata: { auto_submitted: 'auto-replied' } });
    const { turn: waiting } = await world.row<{ turn: SessionTurnView }>(
      'SELECT turn FROM router.debounce WHERE turn_id = $1',
      [turns[0]?.id],
    );
    const { input } = waiting;
    expect(input).toMatchObject({ message: { message: 'I am away.' }, earlier: [{ message: 'a question' }] });
    expect(input?.reply?.channel_address).toBe('ada');
    expect(input).not.toHaveProperty('reply_withheld');
  });

  it('is allowed for a mail that says it was not sent by a machine', async () => {
    const { row, input } = await receive(await world.channel(open), { metadata: { auto_submitted: 'no' } });
    expect(row).toMatchObject({ outcome: 'routed', chief_of_staff: 'taken', reply_withheld: null });
    expect(input?.reply?.channel_address).toBe('ada');
  });

  it('is allowed for another bot whose message triggers read, and the Chief of Staff where the channel says so', async () => {
    const bots = [{ from_bot: true }, { sender: { is_bot: true } }];
    for (const metadata of bots) {
      const appId = await world.channel(open);
      expect((await receive(appId, { metadata })).row).toMatchObject({
        outcome: 'no_match',
        reason: 'no_trigger_for_bot',
        chief_of_staff: 'bot',
      });
      await trigger(appId);
      const read = await receive(appId, { sender: 'dependabot[bot]', metadata });
      expect(read.row).toMatchObject({ outcome: 'routed', chief_of_staff: 'bot' });
      expect(read.input?.reply?.channel_address).toBe('dependabot[bot]');
      const taken = await receive(await world.channel({ ...open, bots: 'chief_of_staff' }), { metadata });
      expect(taken.row).toMatchObject({ outcome: 'routed', chief_of_staff: 'taken' });
    }
  });

  describe('that another App of the installation sent', () => {
    const origin = (hops: number) => ({ origin: { delivery_id: newId('dlv'), hops } });

    it.each(['builtin', 'adapter'])('carries its hops on (%s)', async (app_kind) => {
      const appId = await world.channel({ ...open, reply_address: 'http://other.example/' });
      const { input, row } = await receive(appId, origin(3), { app_kind });
      expect(input?.reply?.hops).toBe(3);
      expect((await routedEntry(row.receipt_id)).detail).toMatchObject({ came_by: { hops: 3 } });
    });

    it.each(['builtin', 'adapter'])(
      'ends at LOOP_MAX_HOPS, with a named reason and what to do (%s)',
      async (app_kind) => {
        const appId = await world.channel({ ...open, reply_address: 'http://other.example/' });
        const { row, turns } = await receive(appId, origin(4), { app_kind });
        expect(row).toMatchObject({ outcome: 'loop_paused', reason: 'hop_limit' });
        expect(turns).toEqual([]);
        const entry = await routedEntry(row.receipt_id);
        expect(entry).toMatchObject({ outcome: 'loop_paused', reason: 'hop_limit' });
        expect(entry.detail['advice']).toContain('LOOP_MAX_HOPS');
        expect((await receive(appId, { message: 'a person' }, { app_kind })).row.outcome).toBe('routed');
      },
    );

    it('does not reset its hops where messages are answered together', async () => {
      const appId = await world.channel({ ...open, reply_address: 'room', inbox_mode: 'collect' });
      const first = await receive(appId, { message: 'first' });
      await receive(appId, { message: 'second', ...origin(3) });
      const last = await receive(appId, { message: 'third' });
      await world.finish(first.turns[0]?.id ?? '');
      const next = await world.turn(last.turns[0]?.id ?? '');
      expect(next?.input).toMatchObject({ message: { message: 'third' }, reply: { hops: 3 } });
    });
  });
});
