import { type McpAnswers, type McpCallAnswer, turnRun } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import { seatForm as form, result, server, TravelDesk, waits } from '../testing/travel-desk.js';
import { turnsOf } from '../testing/turns-of.js';

const busy: McpCallAnswer = { ok: false, error: 'busy', message: 'no session is free', retryable: true };
let desk: TravelDesk;
beforeAll(async () => {
  desk = await TravelDesk.start();
});
beforeEach(() => desk.reset());
afterAll(() => desk.close());

describe('a call whose server asks the user first', () => {
  it('waits, asks the contact in private, and goes on once with the answers and the state', async () => {
    desk.answers = [waits({ questions: { seat: form }, state: 'sealed' }), result('booked')];
    const turn = await desk.begin();
    const token = await desk.asked();
    await desk.waiting(turn.turn_id);
    const [message] = desk.messages();
    expect(message?.channel_address).toBe('D1');
    expect(message?.message.text).toContain('Travel \\*desk\\* needs an answer');
    expect(await desk.open()).toEqual([expect.objectContaining({ state: 'asked', server_name: server.name })]);
    const shown = await desk.page(token);
    expect([shown.status, shown.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const html = await shown.text();
    expect(html).toContain('Aisle or &lt;b&gt;window&lt;/b&gt;');
    expect(html).toContain('value="1"');
    expect(desk.calls()).toEqual([expect.objectContaining({ may_ask: true, may_wait: true })]);

    expect((await desk.post(token, { 'q0.f0': 'aisle', 'q0.f1': '2', action: 'accept' })).status).toBe(200);
    expect(await desk.ends(turn.turn_id)).toMatchObject({ state: 'succeeded', reply_text: 'Booked.' });
    expect(await turnsOf(desk.world).results(turn.turn_id)).toEqual([{ content: 'booked' }]);
    const accepted: McpAnswers = { seat: { action: 'accept', content: { seat: 'aisle', bags: 2 } } };
    expect(desk.calls().map(({ continued }) => continued)).toEqual([undefined, { answers: accepted, state: 'sealed' }]);
    expect((await desk.page(token)).status).toBe(410);
    expect((await desk.post(token, { 'q0.f0': 'window', action: 'accept' })).status).toBe(410);
    await until('nothing waits', async () => (await desk.open()).length === 0);
    const [kept] = await desk.world.query(
      'SELECT questions, answers, request_state FROM engine.open_call WHERE turn_id = $1',
      [turn.turn_id],
    );
    expect(kept).toEqual({ questions: null, answers: null, request_state: null });
    expect((await turnsOf(desk.world).row(turn.turn_id)).content_trust).toBe('untrusted');
  });

  it('refuses answers that do not hold to the schema, and says what is wrong', async () => {
    desk.answers = [waits({ questions: { seat: form } }), result('booked')];
    const turn = await desk.begin();
    const token = await desk.asked();
    const wrong = await desk.post(token, { 'q0.f1': '7', constructor: 'x', action: 'accept' });
    expect(wrong.status).toBe(422);
    const html = await wrong.text();
    expect(html).toContain('seat is missing.');
    expect(html).toContain('value="7"');
    expect(desk.calls()).toHaveLength(1);
    await desk.post(token, { 'q0.f0': 'window', 'q0.f1': '', action: 'accept' });
    await desk.ends(turn.turn_id);
    expect(desk.calls()[1]?.continued).toEqual({
      answers: { seat: { action: 'accept', content: { seat: 'window' } } },
    });
  });

  it('tells the server that the contact declined', async () => {
    desk.answers = [waits({ questions: { seat: form } }), result('not booked')];
    const turn = await desk.begin();
    await desk.post(await desk.asked(), { action: 'decline' });
    await desk.ends(turn.turn_id);
    expect(desk.calls()[1]?.continued).toEqual({ answers: { seat: { action: 'decline' } } });
    const noted = await desk.world.query(
      `SELECT reason FROM ${everyEntry} e WHERE detail ->> 'turn' = $1 ORDER BY at`,
      [turn.turn_id],
    );
    expect(noted.map(({ reason }) => reason)).toEqual(['input_asked', 'input_declined']);
  });

  it('shows the host of a web address, and never opens it', async () => {
    const url = `${desk.world.target.url}/pay`.replace('http:', 'https:');
    desk.answers = [waits({ questions: { pay: { mode: 'url', message: 'Pay here', url } } }), result('paid')];
    desk.world.target.calls.length = 0;
    const turn = await desk.begin();
    const token = await desk.asked();
    const { host } = new URL(url);
    expect(desk.messages()[0]?.message.text).toContain(`open a page of ${host}`);
    const html = await (await desk.page(token)).text();
    expect(html).toContain(`<strong>${host}</strong>`);
    expect(html).toContain(`href="${url}"`);
    await desk.post(token, { action: 'accept' });
    await desk.ends(turn.turn_id);
    expect(desk.calls()[1]?.continued).toEqual({ answers: { pay: { action: 'accept' } } });
    expect(desk.world.target.calls).toEqual([]);
  });

  it('ends in words for the model where the server asks too often', async () => {
    desk.answers = [
      waits({ questions: { a: form } }),
      waits({ questions: { b: form } }),
      waits({ questions: { c: form } }),
    ];
    const turn = await desk.begin();
    const first = await desk.asked(1);
    await desk.post(first, { 'q0.f0': 'aisle', action: 'accept' });
    const second = await desk.asked(2);
    expect(second).not.toBe(first);
    await desk.post(second, { 'q0.f0': 'aisle', action: 'accept' });
    await desk.ends(turn.turn_id);
    const [last] = await turnsOf(desk.world).results(turn.turn_id);
    expect(last.error).toMatchObject({ code: 'too_many_rounds', message: expect.stringContaining('2 times') });
  });

  it('ends in words for the model where nobody answers in time', async () => {
    desk.answers = [waits({ questions: { a: form } })];
    const turn = await desk.begin();
    const token = await desk.asked();
    await desk.waiting(turn.turn_id);
    await desk.world.query(`UPDATE engine.open_call SET expires_at = now() WHERE token = $1`, [token]);
    await desk.world.query(`UPDATE engine.turn SET due_at = now() WHERE id = $1`, [turn.turn_id]);
    await desk.world.jobs.enqueue(turnRun, turn);
    expect((await desk.post(token, { 'q0.f0': 'aisle', action: 'accept' })).status).toBe(410);
    await desk.ends(turn.turn_id);
    expect(await turnsOf(desk.world).results(turn.turn_id)).toMatchObject([{ error: { code: 'input_timeout' } }]);
    expect(desk.calls()).toHaveLength(1);
  });

  it('ends in words for the model where the contact cannot be asked in private', async () => {
    desk.answers = [waits({ questions: { a: form } })];
    const turn = await desk.begin('con_shy');
    await desk.ends(turn.turn_id);
    expect(await turnsOf(desk.world).results(turn.turn_id)).toMatchObject([{ error: { code: 'nobody_to_ask' } }]);
  });

  it('asks who has no such conversation by mail, with the link alone', async () => {
    const mailbox = { channel_address: 'ada@x.example', sender: 'ada@x.example', thread_id: null, reply_context: null };
    desk.services.on('/internal/contacts/con_mail/private-address', ({ query }) => ({
      address: query.get('or_by_mail') === 'true' ? { app_id: 'app_mail', ...mailbox } : null,
    }));
    desk.answers = [waits({ questions: { seat: form } }), result('booked')];
    const turn = await desk.begin('con_mail');
    const token = await desk.asked();
    const [mail] = desk.messages();
    expect(mail).toMatchObject({ app_id: 'app_mail', channel_address: 'ada@x.example' });
    expect(Object.keys(mail?.message ?? {})).toEqual(['text']);
    expect(mail?.message.text).toMatch(/What you write meanwhile.*If you have asked for nothing, decline/s);
    await desk.post(token, { 'q0.f0': 'aisle', action: 'accept' });
    expect(await desk.ends(turn.turn_id)).toMatchObject({ state: 'succeeded' });
  });

  it('is not offered where the event has no contact', async () => {
    desk.answers = [result('booked')];
    await desk.ends((await desk.begin(null)).turn_id);
    expect(desk.calls()[0]?.may_ask).toBeUndefined();
  });

  it('is not made again when the process ended after the answers were sent', async () => {
    desk.answers = [waits({ questions: { a: form } })];
    const turn = await desk.begin();
    const token = await desk.asked();
    await desk.waiting(turn.turn_id);
    const hanging = Promise.withResolvers<McpCallAnswer>();
    desk.services.on('/internal/tool-calls', () => hanging.promise);
    await desk.post(token, { 'q0.f0': 'aisle', action: 'accept' });
    await until('the answers are sent', () => desk.calls().length === 2);
    await desk.takeOver(turn.turn_id);
    hanging.resolve(result('booked'));
    // A job that comes while the old run still winds up here finds the turn entered, and ends.
    await until('another run has ended it', async () => {
      await desk.world.jobs.enqueue(turnRun, turn);
      return (await turnsOf(desk.world).row(turn.turn_id)).ended_at !== null;
    });
    expect(await turnsOf(desk.world).results(turn.turn_id)).toMatchObject([{ error: { code: 'outcome_unknown' } }]);
    expect(desk.calls()).toHaveLength(2);
  });

  it('is asked by one link, which stays, when the idempotent call was repeated after a kill', async () => {
    desk.answers = [waits({ questions: { seat: form } }), result('looked')];
    const hanging = Promise.withResolvers<McpCallAnswer>();
    let made = 0;
    desk.services.on('/internal/tool-calls', () => ((made += 1) === 1 ? hanging.promise : desk.answers.shift()!));
    const turn = await desk.begin('con_ada', 'desk__look');
    await until('it is made', () => made === 1);
    await desk.takeOver(turn.turn_id);
    // Its answer comes all the same: the claim that was taken over keeps nothing of it, and asks nobody.
    hanging.resolve(waits({ questions: { seat: form } }));
    await until('another run waits', async () => {
      await desk.world.jobs.enqueue(turnRun, turn);
      return (await turnsOf(desk.world).row(turn.turn_id)).reason === 'call_waits';
    });
    expect(desk.messages()).toHaveLength(1);
    const token = await desk.asked();
    // Calls without a turn are over: once this one has ended, a sweep has seen the other, too.
    await desk.world.query(
      `INSERT INTO engine.open_call SELECT (jsonb_populate_record(o, '{"id": "opc_~", "turn_id": "trn_~", "token": null}')).*
         FROM engine.open_call o WHERE turn_id = $1`,
      [turn.turn_id],
    );
    await until('a sweep has passed', async () => {
      const [other] = await desk.world.query(`SELECT ended_at FROM engine.open_call WHERE id = 'opc_~'`);
      return other?.ended_at !== null;
    });
    expect((await desk.post(token, { 'q0.f0': 'aisle', action: 'accept' })).status).toBe(200);
    expect(await desk.ends(turn.turn_id)).toMatchObject({ state: 'succeeded' });
    expect(await turnsOf(desk.world).results(turn.turn_id)).toEqual([{ content: 'looked' }]);
    expect(made).toBe(3);
  });

  it('is sent again while the server is away, some times, and then gives the reason', async () => {
    desk.answers = [waits({ questions: { a: form } }), busy];
    const turn = await desk.begin();
    await desk.post(await desk.asked(), { 'q0.f0': 'aisle', action: 'accept' });
    await until('it waits for the next try', async () => {
      const { state, due_at: dueAt } = await turnsOf(desk.world).row(turn.turn_id);
      return desk.calls().length === 2 && state === 'queued' && dueAt.getTime() > Date.now() + 1_000;
    });
    await until('it was sent twice', async () => {
      await desk.lookNow(turn);
      return desk.calls().length === 3;
    });
    await desk.ends(turn.turn_id);
    expect(await turnsOf(desk.world).results(turn.turn_id)).toEqual([
      { error: { code: 'busy', message: 'no session is free' } },
    ]);
    expect(desk.calls()).toHaveLength(3);
    await until('the timeline has it', async () => (await desk.progressOf(turn.turn_id)).length > 0);
    expect(await desk.progressOf(turn.turn_id)).toEqual([expect.stringContaining('busy: no session is free')]);
  });

  it('gets an answer that came in time although its turn goes on later', async () => {
    desk.answers = [waits({ questions: { seat: form } }), result('booked')];
    const turn = await desk.begin();
    const token = await desk.asked();
    await desk.waiting(turn.turn_id);
    const accepted: McpAnswers = { seat: { action: 'accept', content: { seat: 'aisle' } } };
    await desk.world.query(
      `UPDATE engine.open_call SET state = 'answered', answers = $2, expires_at = now() - interval '1 minute' WHERE token = $1`,
      [token, JSON.stringify(accepted)],
    );
    await desk.lookNow(turn);
    await desk.ends(turn.turn_id);
    expect(await turnsOf(desk.world).results(turn.turn_id)).toEqual([{ content: 'booked' }]);
    expect(desk.calls()[1]?.continued).toEqual({ answers: accepted });
  });
});
