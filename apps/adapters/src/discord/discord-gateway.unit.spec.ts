import { until } from '#libs/testing';
import type { DiscordGatewayServer } from '../testing/discord-gateway-server.js';
import { PollingBot, textsOf } from '../testing/polling-bot.js';

let discord: DiscordGatewayServer;
let bot: PollingBot;
beforeEach(async () => {
  bot = await PollingBot.start();
  ({ discord } = bot);
});
afterEach(() => bot.close());

describe("a bot's Gateway connection", () => {
  it('brings messages, and tells Discord that it may forget them when the next question says that they are stored', async () => {
    discord.heartbeatMs = 50;
    const first = await bot.poll();
    expect(first).toMatchObject({ ok: true, events: [], cursor: expect.stringContaining('/resume') });
    expect(bot.opsOf(2)).toEqual([
      { op: 2, d: { token: discord.token, intents: 46_592, properties: expect.any(Object) as object } },
    ]);
    const waiting = bot.poll({ cursor: first.cursor });
    discord.write('text 1');
    const second = await waiting;
    expect(textsOf(second)).toEqual(['text 1']);
    const beats = bot.opsOf(1).length;
    await until('it has beaten thrice', () => bot.opsOf(1).length > beats + 3);
    expect(bot.opsOf(1).at(-1)).toEqual({ op: 1, d: 1 });
    const next = bot.poll({ cursor: second.cursor });
    await until('Discord knows', () => bot.opsOf(1).at(-1)?.d === 2);
    discord.write('text 2');
    expect(textsOf(await next)).toEqual(['text 2']);
    expect(discord.started).toBe(1);
  });

  it('gives an event again to whoever asks without saying that it is stored', async () => {
    const { cursor } = await bot.poll();
    discord.write('text 1');
    expect(textsOf(await bot.poll({ cursor }))).toEqual(['text 1']);
    const repeated = await bot.poll({ cursor });
    expect(textsOf(repeated)).toEqual(['text 1']);
    expect(textsOf(await bot.poll({ cursor: repeated.cursor, wait_seconds: 0 }))).toEqual([]);
  });

  it('is continued by another process where the cursor says, and by this one where it was read to', async () => {
    const { cursor } = await bot.poll();
    discord.write('text 1');
    const read = await bot.poll({ cursor });
    discord.write('text 2');
    const other = await bot.host();
    const taken = await bot.poll({ cursor: read.cursor }, other);
    expect(textsOf(taken)).toEqual(['text 2']);
    expect(bot.opsOf(6)).toEqual([
      { op: 6, d: { token: discord.token, session_id: expect.any(String) as string, seq: 2 } },
    ]);
    const waiting = bot.poll({ cursor: taken.cursor }, other);
    discord.askToReconnect();
    await until('it has come again', () => bot.opsOf(6).length === 2);
    discord.write('text 3');
    const later = [await waiting, await bot.poll({ cursor: taken.cursor }, other)].flatMap(textsOf);
    expect(new Set(later)).toEqual(new Set(['text 3']));
    expect(discord.started).toBe(1);
  });

  it('hands out more than it has room for, where much came while no process was there', async () => {
    const before = await bot.host();
    let { cursor } = await bot.poll({}, before);
    await before.close();
    for (let text = 1; text <= 1_100; text += 1) discord.write(`text ${text}`);
    const seen = new Set<unknown>();
    await until('all have come', async () => {
      const answer = await bot.poll({ cursor, wait_seconds: 0 });
      for (const text of textsOf(answer)) seen.add(text);
      ({ cursor } = answer);
      return seen.size === 1_100;
    });
    expect([discord.started, bot.opsOf(6).length]).toEqual([1, 1]);
  });

  it('begins a session, and tells the gap, where it is to hear something else than the one that it could continue', async () => {
    const { token } = bot.credentials;
    bot.credentials = { token, hears: 'mentions' };
    const { cursor } = await bot.poll();
    bot.credentials = { token };
    expect(await bot.poll({ cursor })).toMatchObject({ gap: { reason: 'session_ended' } });
    expect([bot.opsOf(2).length, bot.opsOf(6).length]).toEqual([2, 0]);
  });

  it('tells a gap, until it was heard, where Discord has ended the session', async () => {
    const { cursor } = await bot.poll();
    discord.write('text 1');
    const read = await bot.poll({ cursor });
    await bot.endSession(read.cursor);
    const begun = await bot.poll({ cursor: read.cursor });
    expect(begun).toMatchObject({ ok: true, events: [], gap: { reason: 'session_ended' } });
    expect(await bot.poll({ cursor: read.cursor })).toMatchObject({ gap: { reason: 'session_ended' } });
    discord.write('text 2');
    const next = await bot.poll({ cursor: begun.cursor });
    expect([textsOf(next), next.gap]).toEqual([['text 2'], undefined]);
  });

  it('gives what was read before a session ended, and counts what is stored by session', async () => {
    const { cursor } = await bot.poll();
    discord.write('text 1');
    await bot.poll({ cursor });
    await bot.endSession(cursor);
    discord.write('text 2');
    await until('both are read', async () => textsOf(await bot.poll({ cursor })).length === 2);
    const both = await bot.poll({ cursor });
    expect(textsOf(both)).toEqual(['text 1', 'text 2']);
    discord.write('text 3');
    expect(textsOf(await bot.poll({ cursor: both.cursor }))).toEqual(['text 3']);
  });

  it('is opened again when Discord answers no heartbeat', async () => {
    discord.heartbeatMs = 50;
    discord.isAlive = false;
    const { cursor } = await bot.poll();
    await until('it is ended', () => discord.connections === 0);
    discord.isAlive = true;
    discord.write('text 1');
    expect(textsOf(await bot.poll({ cursor }))).toEqual(['text 1']);
    expect(bot.opsOf(6)).toHaveLength(1);
  });

  it.each([
    [4_004, 'does not accept the bot token'],
    [4_011, 'too many servers'],
    [4_014, 'Message Content Intent'],
  ])('says in words why Discord refuses it with %i, and asks again later', async (code, words) => {
    const { cursor } = await bot.poll();
    discord.cut(code);
    const answers = [await bot.poll({ cursor, wait_seconds: 20 }), await bot.poll({ cursor, wait_seconds: 0 })];
    expect(answers).toContainEqual(
      expect.objectContaining({
        error: 'auth_failed',
        error_detail: expect.objectContaining({ message: expect.stringContaining(words), retry_after: 300 }),
      }),
    );
  });

  it.each([4_007, 4_009])('begins a session after close code %i, and resumes after any other', async (code) => {
    const { cursor } = await bot.poll();
    discord.cut(4_000);
    await until('it is cut', () => discord.connections === 0);
    const resumed = await bot.poll({ cursor, wait_seconds: 0 });
    expect([resumed.gap, discord.started]).toEqual([undefined, 1]);
    discord.cut(code);
    await until('it is cut', () => discord.connections === 0);
    const begun = [await bot.poll({ cursor, wait_seconds: 0 }), await bot.poll({ cursor, wait_seconds: 0 })];
    expect(begun).toContainEqual(
      expect.objectContaining({ gap: expect.objectContaining({ reason: 'session_ended' }) }),
    );
    expect(discord.started).toBe(2);
  });

  it('needs the switch for the content of messages, unless it hears mentions only', async () => {
    discord.readsMessages = false;
    expect(await bot.poll()).toMatchObject({
      error: 'auth_failed',
      error_detail: { message: expect.stringContaining('Message Content Intent') },
    });
    const { warnings } = (await bot.adapter.call('verify', { credentials: bot.credentials })) as { warnings: string[] };
    expect(warnings.join()).toContain('Message Content Intent is off');
    bot.credentials = { ...bot.credentials, hears: 'mentions' };
    expect(await bot.poll()).toMatchObject({ ok: true });
    expect(await bot.adapter.call('verify', { credentials: bot.credentials })).not.toHaveProperty('warnings');
  });

  it('leaves the last sessions of a day, and refuses a cursor that no answer gave', async () => {
    discord.remaining = 5;
    expect(await bot.poll()).toMatchObject({ error: 'rate_limited', error_detail: { retry_after: 3_600 } });
    expect(await bot.poll({ cursor: 'x' })).toMatchObject({ error: 'invalid_request' });
    bot.credentials = { token: 'other' };
    expect(await bot.poll()).toMatchObject({ error: 'auth_failed' });
    expect(discord.received).toEqual([]);
  });

  it('brings commands, and shows that the app thinks once they are stored', async () => {
    const { cursor } = await bot.poll();
    const waiting = bot.poll({ cursor });
    const interaction = {
      id: '846462639134605312',
      application_id: discord.botId,
      token: 'aW50',
      type: 2,
      channel_id: '645027906669510667',
      user: { id: '53908232506183680', username: 'mason' },
      data: { name: 'ask', options: [{ name: 'question', type: 3, value: 'Is it green?' }] },
    };
    discord.emit('INTERACTION_CREATE', interaction);
    const answer = await waiting;
    expect(
      await bot.adapter.call('parse-inbound', { credentials: bot.credentials, request: answer.events[0] }),
    ).toMatchObject({
      event_type: 'command',
      message: '/ask Is it green?',
      metadata: { reply_context: { token: 'aW50' } },
    });
    expect(discord.called.some((path) => path.includes('callback'))).toBe(false);
    await bot.poll({ cursor: answer.cursor, wait_seconds: 0 });
    await until('Discord shows it', () =>
      discord.called.includes('POST /interactions/846462639134605312/aW50/callback'),
    );
  });
});
