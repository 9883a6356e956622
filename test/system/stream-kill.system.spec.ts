import { columnsOf, newId, turnRun, type TurnRunPayload } from '#libs/contracts';
import type { JobClient } from '#libs/queue';
import { ServiceTokens } from '#libs/service-kit';
import { testServiceKey, until } from '#libs/testing';
import type pg from 'pg';
import { type FakeModel, type FakeStream, fakeStream } from '../../apps/engine/src/testing/fake-model.js';
import { followSession, type SessionFollower } from '../../apps/engine/src/testing/session-follower.js';
import { LoneEngines } from './lone-engines.js';

const owner = { organizationId: newId('org'), projectId: newId('prj') };
let engines: LoneEngines;
let pool: pg.Pool;
let jobs: JobClient;
let model: FakeModel;
let reader: SessionFollower | undefined;

beforeAll(async () => {
  engines = await LoneEngines.open();
  ({ pool, jobs, model } = engines);
});
afterAll(async () => {
  reader?.leave();
  await engines.close();
});

it('an engine killed while its model writes: the answer goes on in the same message, and no word is doubled', async () => {
  const streams: FakeStream[] = [];
  const streaming = (response: Parameters<typeof fakeStream>[0]): void => void streams.push(fakeStream(response));
  model.script(streaming, streaming);
  await engines.start();
  const turn: TurnRunPayload = {
    turn_id: newId('trn'),
    ...columnsOf(owner),
    app_id: newId('app'),
    receipt_id: newId('evt'),
    message_id: newId('msg'),
    run: null,
    session: { key: 'room', contact_id: null, inbox_mode: 'queue', reset_before: null },
    agent_id: null,
    input: {
      message: { event_type: 'message', sender: 'ada', message: 'hello', is_bot: false, metadata: {} },
      verified: true,
      trust: 'known',
      instructions: null,
      reply: { app_id: newId('app'), channel_address: 'room-1', thread_id: null, reply_context: null },
    },
  };
  const id = turn.turn_id;
  await jobs.enqueue(turnRun, turn);
  await until('the model is asked', () => streams.length === 1);
  const url = await engines.start();
  const { rows } = await pool.query('SELECT session_id FROM engine.turn WHERE id = $1', [id]);
  const scopes = ['channels:read', 'events:read'] as const;
  const token = await new ServiceTokens(testServiceKey, 'engine').mint('engine', {
    subject: 'key:test',
    ...owner,
    scopes: [...scopes],
  });
  const following = await followSession(url, rows[0].session_id, token);
  reader = following;
  streams[0]?.write('The sea');
  streams[0]?.write(' is');
  await until('the words of the first are read at the second', () => following.texts.get(id) === 'The sea is');

  await engines.all[0]?.kill();
  await until('the model is asked again', () => streams.length === 2);
  // What was written is still there until the next words replace it.
  expect(following.texts.get(id)).toBe('The sea is');
  streams[1]?.write('The sea');
  await until('the next words replace them', () => following.texts.get(id) === 'The sea');
  streams[1]?.write(' is deep.');
  streams[1]?.end();
  await until('the turn has ended', () => following.ended.includes(id));
  const { rows: ended } = await pool.query('SELECT state, claim, reply_text FROM engine.turn WHERE id = $1', [id]);
  expect(ended).toEqual([{ state: 'succeeded', claim: 2, reply_text: 'The sea is deep.' }]);
  for (const shown of following.shown)
    expect(['The sea is', 'The sea is deep.'].some((whole) => whole.startsWith(shown))).toBe(true);
  expect(following.ended).toEqual([id]);
});
