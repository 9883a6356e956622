import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '#libs/adapter-sdk';
import { until } from '#libs/testing';
import type { DiscordGatewayServer } from '../testing/discord-gateway-server.js';
import { type PolledAnswer, PollingBot, textsOf } from '../testing/polling-bot.js';

let discord: DiscordGatewayServer;
let bot: PollingBot;
beforeEach(async () => {
  bot = await PollingBot.start();
  ({ discord } = bot);
});
afterEach(() => bot.close());

describe('a bot in more servers than one connection takes', () => {
  /** Of a server that the connection with this number has, of three. */
  const guildOf = (index: number): string => String(BigInt(index) << 22n);
  const write = (index: number, text: string): string => discord.write(text, { guild_id: guildOf(index) });
  const shards = () => bot.opsOf(2).map(({ d }) => (d as JsonObject).shard);
  const texts = async (cursor: string, count: number): Promise<PolledAnswer & { seen: unknown[] }> => {
    const seen: unknown[] = [];
    let answer = { cursor } as PolledAnswer;
    await until(`${count} have come`, async () => {
      answer = await bot.poll({ cursor: answer.cursor, wait_seconds: 0 });
      seen.push(...textsOf(answer));
      return seen.length >= count;
    });
    return { ...answer, seen };
  };
  const begun = async (count: number): Promise<PolledAnswer> => {
    let answer = await bot.poll();
    await until('all are begun', async () => {
      answer = await bot.poll({ cursor: answer.cursor, wait_seconds: 0 });
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
    await bot.adapter.close();
    for (const index of [0, 1, 2]) write(index, `later ${index}`);
    bot.adapter = await bot.host();
    const { seen } = await texts(read.cursor, 3);
    expect(seen.toSorted()).toEqual(['later 0', 'later 1', 'later 2']);
    expect([discord.started, bot.opsOf(6).length]).toEqual([3, 3]);
  });

  it('begins anew when Discord wants more: what came is handed out first, and the gap is reported until it is heard', async () => {
    const { cursor } = await bot.poll();
    discord.write('before');
    discord.shards = 2;
    discord.forget();
    discord.cut(4_011);
    await until('it is cut', () => discord.connections === 0);
    const first = await bot.poll({ cursor, wait_seconds: 0 });
    expect(textsOf(first)).toEqual(['before']);
    let answer = first;
    await until('both are begun', async () => {
      answer = await bot.poll({ cursor: first.cursor, wait_seconds: 0 });
      return discord.connections === 2;
    });
    expect((await bot.poll({ cursor: first.cursor, wait_seconds: 0 })).gap).toMatchObject({ reason: 'shards_changed' });
    answer = await bot.poll({ cursor: first.cursor, wait_seconds: 0 });
    write(1, 'after');
    const next = await texts(answer.cursor, 1);
    expect([next.seen, next.gap]).toEqual([['after'], undefined]);
  });

  it('says so where Discord wants more than an App holds', async () => {
    discord.shards = 41;
    expect(await bot.poll()).toMatchObject({
      error: 'unsupported',
      error_detail: { message: expect.stringContaining('at most 40') },
    });
  });

  it('goes on with the others, and keeps their sockets, while one of them is refused', async () => {
    discord.shards = 3;
    discord.refusing.set(1, 4_004);
    let answer = await bot.poll();
    await until('the others are begun', async () => {
      answer = await bot.poll({ cursor: answer.cursor, wait_seconds: 0 });
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
    expect([await bot.poll({ cursor, wait_seconds: 0 }), tries(), discord.connections]).toMatchObject(rests);
  });

  it('says why of each that fails, and names none that has not been tried yet', async () => {
    discord.shards = 4;
    discord.refusing.set(1, 4_004).set(2, 4_013);
    const reported = new Set<string>();
    let answer = await bot.poll();
    await until('the last one is begun', async () => {
      answer = await bot.poll({ cursor: answer.cursor, wait_seconds: 0 });
      if (answer.degraded) reported.add((answer.degraded as { message: string }).message);
      return discord.connections === 2 && reported.size > 1;
    });
    const token = '(shard 1): Discord does not accept the bot token';
    expect([...reported]).toEqual([
      `1 of 4 connections fail ${token}`,
      `2 of 4 connections fail ${token}; (shard 2): Discord does not know the intents that were asked for`,
    ]);
  });

  it('says which one hangs as soon as that is known, until it is begun', async () => {
    await bot.hostImpatiently();
    discord.shards = 2;
    discord.refusing.set(1, null);
    let { cursor } = await bot.poll();
    const hanging = await until('it is given up', async () => {
      const answer = await bot.poll({ cursor });
      cursor = answer.cursor;
      return answer.degraded;
    });
    expect(hanging).toEqual({
      error: 'timeout',
      message: '1 of 2 connections fail (shard 1): Discord does not begin a session',
    });
    discord.refusing.clear();
    await until('it is begun', async () => {
      const answer = await bot.poll({ cursor, wait_seconds: 0 });
      cursor = answer.cursor;
      return answer.degraded === undefined && discord.connections === 2;
    });
  });

  it('answers with the events of one while another hangs, and begins those after it', async () => {
    await bot.hostImpatiently(5_000);
    discord.shards = 3;
    discord.refusing.set(1, null);
    const first = await bot.poll();
    const waiting = bot.poll({ cursor: first.cursor });
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
      await bot.poll({ cursor, wait_seconds: 0 });
      return discord.connections === 3;
    });
    expect([discord.started, discord.tooSoon]).toEqual([6, 0]);
  });

  it('tells a gap until the last one has begun, from when the first was lost', async () => {
    await bot.hostImpatiently();
    const { cursor } = await bot.poll();
    discord.shards = 2;
    discord.refusing.set(1, null);
    const lost = new Date().toISOString();
    discord.forget();
    discord.cut(4_011);
    const gapOf = async (from: string) => {
      const answer: Partial<PolledAnswer> = await bot.poll({ cursor: from, wait_seconds: 0 });
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
    const other = await bot.host();
    const taken = await bot.poll({ cursor: reported.at, wait_seconds: 0 }, other);
    expect(taken).toMatchObject({ gap: { reason: 'shards_changed' } });
  });
});
