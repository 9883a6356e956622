import { newId, outboundSent, textHash } from '#libs/contracts';
import { OutboundRepository } from '../../apps/router/src/path/guards/outbound.handler.js';
import type { MessageRow } from '../../apps/router/src/entities/message.entity.js';
import type { Turn } from '../../apps/engine/src/entities/turn.entity.js';
import { type PathWorld, pathWorld } from './path-world.js';

const second = 1_000;
const minute = 60 * second;

describe('loops', () => {
  let world: PathWorld;
  let now = Date.parse('2026-03-02T09:00:00Z');

  beforeAll(async () => {
    world = await pathWorld();
  });
  afterAll(() => world.close());

  const pass = (ms: number): void => world.setTime((now += Math.round(ms)));
  const openApp = (): Promise<string> => world.channel({ unknown_senders: 'open', inbox_mode: 'collect' });

  async function receive(appId: string, sender: string, message: string, over: object = {}): Promise<MessageRow> {
    const receipt = await world.receive(appId, { sender, message, ...over });
    return world.message(receipt);
  }

  /** Ends the agent's turn and sends its reply. @returns whether there was a turn */
  async function answer(appId: string, text: string, report = true): Promise<boolean> {
    const sql = `SELECT * FROM engine.turn WHERE app_id = $1 AND state IN ('queued', 'running')`;
    const [turn] = await world.query<Turn>(sql, [appId]);
    if (!turn) return false;
    await world.finish(turn.id);
    const sent = {
      app_id: appId,
      sender: turn.input?.reply?.answers ?? null,
      message_ids: [`m-${turn.id}`],
      text_hash: report ? textHash(text) : null,
    };
    await world.router.get(OutboundRepository, { strict: false }).note({ ...sent, delivery_id: newId('dlv') }, now);
    return true;
  }

  /**
   * Counts the agent's replies until it falls silent, at most `most`.
   * @param back the message that answers the nth reply
   */
  async function repliesUntilSilent(
    most: number,
    gapMs: () => number,
    back: (n: number) => [sender: string, text: string],
    turnMs: () => number = () => 0,
  ) {
    const appId = await openApp();
    const first = back(0);
    await receive(appId, ...first);
    let replies = 0;
    for (;;) {
      pass(turnMs());
      if (replies >= most || !(await answer(appId, `reply ${replies}`, false))) break;
      replies += 1;
      pass(gapMs());
      await receive(appId, ...back(replies));
    }
    return { appId, replies };
  }

  const last = async (appId: string): Promise<MessageRow> =>
    (await world.messages('WHERE app_id = $1 ORDER BY id DESC LIMIT 1', [appId]))[0] as MessageRow;

  it('are prevented: what the App itself has sent is dropped, by its id and by its text', async () => {
    const appId = await openApp();
    const text = 'Your order has left the warehouse this morning.';
    await receive(appId, 'ada', 'where is my order?');
    await answer(appId, text);
    const [{ id } = { id: '' }] = await world.query<{ id: string }>('SELECT id FROM engine.turn WHERE app_id = $1', [
      appId,
    ]);
    expect(await receive(appId, 'shop', 'anything', { dedup_key: `m-${id}` })).toMatchObject({
      outcome: 'dropped_echo',
      reason: 'own_message_id',
    });
    expect(await receive(appId, 'shop', '*Your order has left* the warehouse this morning!')).toMatchObject({
      outcome: 'dropped_echo',
      reason: 'own_text',
    });
    expect(await receive(appId, 'ada', 'Thanks')).toMatchObject({ outcome: 'routed' });
  });

  it('end for a plain echo whose ids and texts nobody reported', async () => {
    const { appId, replies } = await repliesUntilSilent(
      200,
      () => 200,
      (n) => ['echo', `reply ${n - 1}`],
    );
    expect(replies).toBeLessThanOrEqual(20);
    expect(await last(appId)).toMatchObject({ outcome: 'loop_paused' });
  });

  it('end for two bots that never say the same', async () => {
    const { appId, replies } = await repliesUntilSilent(
      200,
      () => 500 + Math.random() * 1_500,
      () => ['bot', `And what do you think of ${newId('msg')}?`],
    );
    expect(replies).toBeLessThanOrEqual(22);
    expect(await last(appId)).toMatchObject({ outcome: 'loop_paused', reason: 'fast_loop' });
  });

  it('end for a ring of three, whichever of them speaks', async () => {
    const { appId, replies } = await repliesUntilSilent(
      400,
      () => 700 + Math.random() * 300,
      (n) => [n % 2 === 0 ? 'ring-a' : 'ring-b', `step ${newId('msg')}`],
    );
    expect(replies).toBeLessThanOrEqual(44);
    expect((await last(appId)).outcome).toBe('loop_paused');
  });

  it('end at one message a minute', async () => {
    const { appId, replies } = await repliesUntilSilent(
      500,
      () => minute,
      () => ['slow', `Ticket ${newId('msg')} was updated`],
    );
    expect(replies).toBeLessThanOrEqual(41);
    expect(await last(appId)).toMatchObject({ outcome: 'loop_paused', reason: 'even_pace' });
  });

  it('end for an auto-responder that does not declare itself, by its one text', async () => {
    const { replies } = await repliesUntilSilent(
      200,
      () => minute + Math.random() * 9 * minute,
      () => ['away', 'I am out of office.'],
    );
    expect(replies).toBeLessThanOrEqual(8);
  });

  it('end for an auto-responder with a counter, by its own pace, however long the agent takes', async () => {
    const { appId, replies } = await repliesUntilSilent(
      200,
      () => 30 * second * (0.95 + Math.random() * 0.1),
      (n) => ['away', `I am out of office. Case ${n}.`],
      () => 5 * second + Math.random() * 3 * minute,
    );
    expect(replies).toBeLessThanOrEqual(22);
    expect(await last(appId)).toMatchObject({ outcome: 'loop_paused', reason: 'even_pace' });
  });

  it('end for a peer that answers at once, with the jitter of a network', async () => {
    const { appId, replies } = await repliesUntilSilent(
      200,
      () => 20 + Math.random() * 900,
      (n) => ['echo', `#${n}`],
      () => 5 * second + Math.random() * minute,
    );
    expect(replies).toBeLessThanOrEqual(22);
    expect(await last(appId)).toMatchObject({ outcome: 'loop_paused', reason: 'even_pace' });
  });

  it('do not include a person whose texts differ in a number', async () => {
    const appId = await openApp();
    let seed = 11;
    const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
    for (let n = 0; n < 40; n += 1) {
      expect((await receive(appId, 'buyer', `order ${1_000 + n * 37}`)).outcome).toBe('routed');
      pass(second + random() * 2 * second);
      await answer(appId, `order ${n} is placed`, false);
      pass(4 * second - Math.log(random()) * 20 * second);
    }
  });

  it.each([3.5, 20, 60])('do not include a person who writes evenly, %d seconds apart', async (seconds) => {
    const appId = await openApp();
    const words = ['tea', 'why so', 'and then', 'what of the cups', 'thanks', 'one more', 'who says that', 'fine'];
    for (let n = 0; n < 70; n += 1) {
      const text = `${words[n % words.length]}, ${words[(n * 3) % 7]}?`;
      expect(await receive(appId, 'even', text)).toMatchObject({ outcome: 'routed' });
      await answer(appId, `answer ${n}`, false);
      pass(seconds * second);
    }
    for (let n = 0; n < 32; n += 1) {
      expect(await receive(appId, 'counting', `message ${n}`)).toMatchObject({ outcome: 'routed' });
      await answer(appId, `answer ${n}`, false);
      pass(seconds * second);
    }
  });

  it('do not include machines that nobody answers', async () => {
    const appId = await openApp();
    await receive(appId, 'mailer', 'hello');
    await answer(appId, 'sent', false);
    const metadata = { bounce: true };
    for (let n = 0; n < 30; n += 1) {
      const bounced = await receive(appId, 'mailer', 'The mail could not be delivered.', { metadata });
      expect(bounced).toMatchObject({ outcome: 'no_match', reason: 'no_trigger_for_bounce' });
      pass(second);
    }
  });

  it('do not include a talkative person', async () => {
    const appId = await openApp();
    for (let n = 0; n < 40; n += 1) {
      // Forty lines within a minute, occasionally answered.
      expect((await receive(appId, 'tom', `line ${newId('msg')}`)).outcome).toBe('routed');
      if (n % 4 === 3) await answer(appId, `noted ${n}`, false);
      pass(1_400);
    }
    let seed = 7;
    const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
    for (let n = 0; n < 120; n += 1) {
      // Then hours of questions and answers, at the pace of somebody who reads and thinks.
      pass(4_000 - Math.log(random()) * 25_000);
      expect((await receive(appId, 'tom', `question ${newId('msg')}`)).outcome).toBe('routed');
      await answer(appId, `answer ${n}`, false);
    }
  });

  it('can go on when the pause is over or a person ends it, and held messages can be released', async () => {
    const { appId } = await repliesUntilSilent(
      200,
      () => 200,
      () => ['again', 'ping'],
    );
    const { id, contact_id, receipt_id } = await last(appId);
    expect((await receive(appId, 'again', 'still there?')).outcome).toBe('loop_paused');
    const { body } = await world.call<{ released: string[] }>('POST', 'held-messages/release', {
      message_ids: [id],
    });
    expect(body.released).toEqual([id]);
    await world.take(receipt_id);
    expect(await answer(appId, 'released', false)).toBe(true);
    await world.call('POST', `contacts/${contact_id}/resume`, {});
    expect((await receive(appId, 'again', 'resumed')).outcome).toBe('routed');
    const paused = await repliesUntilSilent(
      200,
      () => 200,
      () => ['later', 'ping'],
    );
    pass(11 * minute);
    expect((await receive(paused.appId, 'later', 'hello?')).outcome).toBe('routed');
  });

  it('are recognised by what deliveries report', () => {
    expect(
      outboundSent.jobId({ delivery_id: 'dlv_1', app_id: 'a', sender: null, message_ids: [], text_hash: null }),
    ).toBe('dlv_1');
    expect(textHash('Hi!')).toBeNull();
    expect(textHash('<b>One text, rendered twice by two</b>')).not.toBe(textHash('another text that is long enough'));
    expect(textHash('**One text**, rendered twice by two')).toBe(textHash('One text rendered twice, by two'));
  });
});
