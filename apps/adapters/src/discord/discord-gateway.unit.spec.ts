import { isDeepStrictEqual } from 'node:util';
import { until } from '#libs/testing';
import type { JsonObject } from '#libs/adapter-sdk';
import { type AdapterHost, hostAdapter } from '../testing/adapter-host.js';
import { DiscordGatewayServer } from '../testing/discord-gateway-server.js';
import { createDiscordAdapter } from './discord.adapter.js';

type Answer = JsonObject & { events: { id: string; body: string }[]; cursor: string };

let discord: DiscordGatewayServer;
let adapter: AdapterHost;
let credentials: JsonObject;
const others: AdapterHost[] = [];

const host = (timeoutMs?: number) =>
  hostAdapter((http) => createDiscordAdapter({ ...http, apiUrl: discord.url, beginEveryMs: 250 }), timeoutMs);
/** Gives up a connection that hangs after so long. */
const hostImpatiently = async (timeoutMs = 1_000): Promise<void> => {
  await adapter.close();
  adapter = await host(timeoutMs);
};

beforeEach(async () => {
  discord = await DiscordGatewayServer.start();
  credentials = { token: discord.token };
  adapter = await host();
});
afterEach(async () => {
  await Promise.all([adapter, ...others.splice(0)].map((one) => one.close()));
  await discord.close();
});

const poll = async (more: JsonObject = {}, by = adapter): Promise<Answer> =>
  (await by.call('poll', { credentials, wait_seconds: 20, ...more })) as Answer;
const textsOf = ({ events }: Answer) => events.map(({ body }) => (JSON.parse(body) as { d: JsonObject }).d.content);
const opsOf = (op: number) => discord.received.filter((payload) => payload.op === op);
/** Discord ends the session, and the adapter begins another one. */
const endSession = async (cursor: string): Promise<void> => {
  discord.forget();
  discord.cut();
  await until('another one is begun', async () => {
    await poll({ cursor, wait_seconds: 0 });
    return discord.started === 2;
  });
};

describe("a bot's Gateway connection", () => {
  it('brings messages, and tells Discord that it may forget them when the next question says that they are stored', async () => {
    discord.heartbeatMs = 50;
    const first = await poll();
    expect(first).toMatchObject({ ok: true, events: [], cursor: expect.stringContaining('/resume') });
    expect(opsOf(2)).toEqual([
      { op: 2, d: { token: discord.token, intents: 46_592, properties: expect.any(Object) as object } },
    ]);
    const waiting = poll({ cursor: first.cursor });
    discord.write('text 1');
    const second = await waiting;
    expect(textsOf(second)).toEqual(['text 1']);
    const beats = opsOf(1).length;
    await until('it has beaten thrice', () => opsOf(1).length > beats + 3);
    expect(opsOf(1).at(-1)).toEqual({ op: 1, d: 1 });
    const next = poll({ cursor: second.cursor });
    await until('Discord knows', () => opsOf(1).at(-1)?.d === 2);
    discord.write('text 2');
    expect(textsOf(await next)).toEqual(['text 2']);
    expect(discord.started).toBe(1);
  });

  it('gives an event again to whoever asks without saying that it is stored', async () => {
    const { cursor } = await poll();
    discord.write('text 1');
    expect(textsOf(await poll({ cursor }))).toEqual(['text 1']);
    const repeated = await poll({ cursor });
    expect(textsOf(repeated)).toEqual(['text 1']);
    expect(textsOf(await poll({ cursor: repeated.cursor, wait_seconds: 0 }))).toEqual([]);
  });

  it('is continued by another process where the cursor says, and by this one where it was read to', async () => {
    const { cursor } = await poll();
    discord.write('text 1');
    const read = await poll({ cursor });
    discord.write('text 2');
    const other = await host();
    others.push(other);
    const taken = await poll({ cursor: read.cursor }, other);
    expect(textsOf(taken)).toEqual(['text 2']);
    expect(opsOf(6)).toEqual([
      { op: 6, d: { token: discord.token, session_id: expect.any(String) as string, seq: 2 } },
    ]);
    const waiting = poll({ cursor: taken.cursor }, other);
    discord.askToReconnect();
    await until('it has come again', () => opsOf(6).length === 2);
    discord.write('text 3');
    const later = [await waiting, await poll({ cursor: taken.cursor }, other)].flatMap(textsOf);
    expect(new Set(later)).toEqual(new Set(['text 3']));
    expect(discord.started).toBe(1);
  });

  it('hands out more than it has room for, where much came while no process was there', async () => {
    const before = await host();
    let { cursor } = await poll({}, before);
    await before.close();
    for (let text = 1; text <= 1_100; text += 1) discord.write(`text ${text}`);
    const seen = new Set<unknown>();
    await until('all have come', async () => {
      const answer = await poll({ cursor, wait_seconds: 0 });
      for (const text of textsOf(answer)) seen.add(text);
      ({ cursor } = answer);
      return seen.size === 1_100;
    });
    expect([discord.started, opsOf(6).length]).toEqual([1, 1]);
  });

  it('begins a session, and tells the gap, where it is to hear something else than the one that it could continue', async () => {
    const { token } = credentials;
    credentials = { token, hears: 'mentions' };
    const { cursor } = await poll();
    credentials = { token };
    expect(await poll({ cursor })).toMatchObject({ gap: { reason: 'session_ended' } });
    expect([opsOf(2).length, opsOf(6).length]).toEqual([2, 0]);
  });

  it('tells a gap, until it was heard, where Discord has ended the session', async () => {
    const { cursor } = await poll();
    discord.write('text 1');
    const read = await poll({ cursor });
    await endSession(read.cursor);
    const begun = await poll({ cursor: read.cursor });
    expect(begun).toMatchObject({ ok: true, events: [], gap: { reason: 'session_ended' } });
    expect(await poll({ cursor: read.cursor })).toMatchObject({ gap: { reason: 'session_ended' } });
    discord.write('text 2');
    const next = await poll({ cursor: begun.cursor });
    expect([textsOf(next), next.gap]).toEqual([['text 2'], undefined]);
  });

  it('gives what was read before a session ended, and counts what is stored by session', async () => {
    const { cursor } = await poll();
    discord.write('text 1');
    await poll({ cursor });
    await endSession(cursor);
    discord.write('text 2');
    await until('both are read', async () => textsOf(await poll({ cursor })).length === 2);
    const both = await poll({ cursor });
    expect(textsOf(both)).toEqual(['text 1', 'text 2']);
    discord.write('text 3');
    expect(textsOf(await poll({ cursor: both.cursor }))).toEqual(['text 3']);
  });

  it('is opened again when Discord answers no heartbeat', async () => {
    discord.heartbeatMs = 50;
    discord.isAlive = false;
    const { cursor } = await poll();
    await until('it is ended', () => discord.connections === 0);
    discord.isAlive = true;
    discord.write('text 1');
    expect(textsOf(await poll({ cursor }))).toEqual(['text 1']);
    expect(opsOf(6)).toHaveLength(1);
  });

  it.each([
    [4_004, 'does not accept the bot token'],
    [4_011, 'too many servers'],
    [4_014, 'Message Content Intent'],
  ])('says in words why Discord refuses it with %i, and asks again later', async (code, words) => {
    const { cursor } = await poll();
    discord.cut(code);
    const answers = [await poll({ cursor, wait_seconds: 20 }), await poll({ cursor, wait_seconds: 0 })];
    expect(answers).toContainEqual(
      expect.objectContaining({
        error: 'auth_failed',
        error_detail: expect.objectContaining({ message: expect.stringContaining(words), retry_after: 300 }),
      }),
    );
  });

  it.each([4_007, 4_009])('begins a session after close code %i, and resumes after any other', async (code) => {
    const { cursor } = await poll();
    discord.cut(4_000);
    await until('it is cut', () => discord.connections === 0);
    const resumed = await poll({ cursor, wait_seconds: 0 });
    expect([resumed.gap, discord.started]).toEqual([undefined, 1]);
    discord.cut(code);
    await until('it is cut', () => discord.connections === 0);
    const begun = [await poll({ cursor, wait_seconds: 0 }), await poll({ cursor, wait_seconds: 0 })];
    expect(begun).toContainEqual(
      expect.objectContaining({ gap: expect.objectContaining({ reason: 'session_ended' }) }),
    );
    expect(discord.started).toBe(2);
  });

  it('needs the switch for the content of messages, unless it hears mentions only', async () => {
    discord.readsMessages = false;
    expect(await poll()).toMatchObject({
      error: 'auth_failed',
      error_detail: { message: expect.stringContaining('Message Content Intent') },
    });
    const { warnings } = (await adapter.call('verify', { credentials })) as { warnings: string[] };
    expect(warnings.join()).toContain('Message Content Intent is off');
    credentials = { ...credentials, hears: 'mentions' };
    expect(await poll()).toMatchObject({ ok: true });
    expect(await adapter.call('verify', { credentials })).not.toHaveProperty('warnings');
  });

  it('leaves the last sessions of a day, and refuses a cursor that no answer gave', async () => {
    discord.remaining = 5;
    expect(await poll()).toMatchObject({ error: 'rate_limited', error_detail: { retry_after: 3_600 } });
    expect(await poll({ cursor: 'x' })).toMatchObject({ error: 'invalid_request' });
    credentials = { token: 'other' };
    expect(await poll()).toMatchObject({ error: 'auth_failed' });
    expect(discord.received).toEqual([]);
  });

  it('brings commands, and shows that the app thinks once they are stored', async () => {
    const { cursor } = await poll();
    const waiting = poll({ cursor });
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
    expect(await adapter.call('parse-inbound', { credentials, request: answer.events[0] })).toMatchObject({
      event_type: 'command',
      message: '/ask Is it green?',
      metadata: { reply_context: { token: 'aW50' } },
    });
    expect(discord.called.some((path) => path.includes('callback'))).toBe(false);
    await poll({ cursor: answer.cursor, wait_seconds: 0 });
    await until('Discord shows it', () =>
      discord.called.includes('POST /interactions/846462639134605312/aW50/callback'),
    );
  });
});

describe('a bot in more servers than one connection takes', () => {
  /** Of a server that the connection with this number has, of three. */
  const guildOf = (index: number): string => String(BigInt(index) << 22n);
  const write = (index: number, text: string): string => discord.write(text, { guild_id: guildOf(index) });
  const shards = () => opsOf(2).map(({ d }) => (d as JsonObject).shard);
  const texts = async (cursor: string, count: number): Promise<Answer & { seen: unknown[] }> => {
    const seen: unknown[] = [];
    let answer = { cursor } as Answer;
    await until(`${count} have come`, async () => {
      answer = await poll({ cursor: answer.cursor, wait_seconds: 0 });
      seen.push(...textsOf(answer));
      return seen.length >= count;
    });
    return { ...answer, seen };
  };
  const begun = async (count: number): Promise<Answer> => {
    let answer = await poll();
    await until('all are begun', async () => {
      answer = await poll({ cursor: answer.cursor, wait_seconds: 0 });
      return discord.connections === count && !answer.cursor.split(' ').includes('-');
    });
    return answer;
  };

  it('has as many as Discord wants, begun no faster than it allows, and hears of all servers', async () => {
    Object.assign(discord, { shards: 3, maxConcurrency: 2, beginEveryMs: 200 });
    const { cursor } = await begun(3);
    expect(new Set(shards())).toEqual(
      new Set([
        [0, 3],
        [1, 3],
        [2, 3],
      ]),
    );
    expect([discord.started, discord.tooSoon]).toEqual([3, 0]);
    for (const index of [0, 1, 2]) write(index, `text ${index}`);
    const { seen } = await texts(cursor, 3);
    expect(seen.toSorted()).toEqual(['text 0', 'text 1', 'text 2']);
  });

  it('is gone on with by another process in each of them, from where that one was read', async () => {
    discord.shards = 3;
    const { cursor } = await begun(3);
    write(1, 'text 1');
    const read = await texts(cursor, 1);
    await adapter.close();
    for (const index of [0, 1, 2]) write(index, `later ${index}`);
    adapter = await host();
    const { seen } = await texts(read.cursor, 3);
    expect(seen.toSorted()).toEqual(['later 0', 'later 1', 'later 2']);
    expect([discord.started, opsOf(6).length]).toEqual([3, 3]);
  });

  it('begins anew when Discord wants more: what came is handed out first, and the gap is reported until it is heard', async () => {
    const { cursor } = await poll();
    discord.write('before');
    discord.shards = 2;
    discord.forget();
    discord.cut(4_011);
    await until('it is cut', () => discord.connections === 0);
    const first = await poll({ cursor, wait_seconds: 0 });
    expect(textsOf(first)).toEqual(['before']);
    let answer = first;
    await until('both are begun', async () => {
      answer = await poll({ cursor: first.cursor, wait_seconds: 0 });
      return discord.connections === 2;
    });
    expect((await poll({ cursor: first.cursor, wait_seconds: 0 })).gap).toMatchObject({ reason: 'shards_changed' });
    answer = await poll({ cursor: first.cursor, wait_seconds: 0 });
    write(1, 'after');
    const next = await texts(answer.cursor, 1);
    expect([next.seen, next.gap]).toEqual([['after'], undefined]);
  });

  it('says so where Discord wants more than an App holds', async () => {
    discord.shards = 41;
    expect(await poll()).toMatchObject({
      error: 'unsupported',
      error_detail: { message: expect.stringContaining('at most 40') },
    });
  });

  it('goes on with the others, and keeps their sockets, while one of them is refused', async () => {
    discord.shards = 3;
    discord.refusing.set(1, 4_004);
    let answer = await poll();
    await until('the others are begun', async () => {
      answer = await poll({ cursor: answer.cursor, wait_seconds: 0 });
      return answer.cursor.split(' ').filter((position) => position !== '-').length === 2;
    });
    const degraded = { error: 'auth_failed', message: expect.stringContaining('1 of 3 connections fail (shard 1): ') };
    expect(answer).toMatchObject({ ok: true, gap: { reason: 'shards_changed' }, degraded });
    write(0, 'text 0');
    write(2, 'text 2');
    const { seen, cursor } = await texts(answer.cursor, 2);
    expect(seen.toSorted()).toEqual(['text 0', 'text 2']);
    // It rests: another question is no other try.
    const tries = () => shards().filter((shard) => isDeepStrictEqual(shard, [1, 3])).length;
    const rests = [{ ok: true, degraded }, 1, 2];
    expect([await poll({ cursor, wait_seconds: 0 }), tries(), discord.connections]).toMatchObject(rests);
  });

  it('says which one hangs as soon as that is known, until it is begun', async () => {
    await hostImpatiently();
    discord.shards = 2;
    discord.refusing.set(1, null);
    let { cursor } = await poll();
    const hanging = await until('it is given up', async () => {
      const answer = await poll({ cursor });
      cursor = answer.cursor;
      return answer.degraded;
    });
    expect(hanging).toEqual({
      error: 'timeout',
      message: '1 of 2 connections fail (shard 1): Discord does not begin a session',
    });
    discord.refusing.clear();
    await until('it is begun', async () => {
      const answer = await poll({ cursor, wait_seconds: 0 });
      cursor = answer.cursor;
      return answer.degraded === undefined && discord.connections === 2;
    });
  });

  it('answers with the events of one while another hangs, and begins those after it', async () => {
    await hostImpatiently(5_000);
    discord.shards = 3;
    discord.refusing.set(1, null);
    const first = await poll();
    const waiting = poll({ cursor: first.cursor });
    write(0, 'text 0');
    const afterIt = () => shards().some((shard) => isDeepStrictEqual(shard, [2, 3]));
    // Answered before the one that hangs is given up, which is when the next one begins.
    expect([textsOf(await waiting), afterIt()]).toEqual([['text 0'], false]);
    await until('the one after it is begun', afterIt);
  });

  it('begins those whose sessions Discord has forgotten no faster than it allows', async () => {
    Object.assign(discord, { shards: 3, beginEveryMs: 200 });
    const { cursor } = await begun(3);
    discord.forget();
    discord.cut();
    await until('all are begun again', async () => {
      await poll({ cursor, wait_seconds: 0 });
      return discord.connections === 3;
    });
    expect([discord.started, discord.tooSoon]).toEqual([6, 0]);
  });

  it('tells a gap until the last one has begun, from when the first was lost', async () => {
    await hostImpatiently();
    const { cursor } = await poll();
    discord.shards = 2;
    discord.refusing.set(1, null);
    const lost = new Date().toISOString();
    discord.forget();
    discord.cut(4_011);
    const gapOf = async (from: string) => {
      const answer: Partial<Answer> = await poll({ cursor: from, wait_seconds: 0 });
      const { gap, cursor: at = from } = answer;
      return { at, ...(gap as { reason: string; since: string; until: string }) };
    };
    const reported = await until('it is reported', async () => {
      const gap = await gapOf(cursor);
      return gap.at.endsWith(' -') && gap;
    });
    expect(reported.since >= lost).toBe(true);
    const later = await gapOf(reported.at);
    expect([later.since, later.until > reported.until]).toEqual([reported.since, true]);
    // Another process knows from the cursor that one is missing.
    discord.refusing.clear();
    const other = await host();
    others.push(other);
    const taken = await poll({ cursor: reported.at, wait_seconds: 0 }, other);
    expect(taken).toMatchObject({ gap: { reason: 'shards_changed' } });
  });
});
