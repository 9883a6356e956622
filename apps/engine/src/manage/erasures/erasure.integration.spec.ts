import { newId, type TurnRunPayload } from '#libs/contracts';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { TurnRepository } from '../../path/turns/turn.repository.js';
import { type EngineWorld, engineWorld, rehearsal, turnOf } from '../../testing/engine-world.js';

describe('an erasure in the engine', () => {
  let world: EngineWorld;
  let engine: NestFastifyApplication;

  beforeAll(async () => {
    world = await engineWorld();
    engine = await world.start(rehearsal);
  });
  afterAll(() => world.close());

  /** A turn that ended half a minute ago, with its answer. */
  async function ended(over: Partial<TurnRunPayload>, calledBy: string | null = null): Promise<TurnRunPayload> {
    const turn = turnOf(over);
    const claim = await engine.get(TurnRepository, { strict: false }).claim(turn, 'engine_elsewhere');
    expect(claim).toMatchObject({ state: 'claimed' });
    await world.query(
      `UPDATE engine.turn SET state = 'succeeded', owner = NULL, lease_until = NULL, ended_at = now() - interval '30 seconds',
              reply_text = 'words', answer_id = $2, called_by = $3, message_id = CASE WHEN $3::text IS NULL THEN message_id END
        WHERE id = $1`,
      [turn.turn_id, `dlv_of_${turn.turn_id}`, calledBy],
    );
    return turn;
  }
  const textsOf = async (receipt: string) => {
    const rows = await world.query<{ id: string; text: string | null }>(
      'SELECT id, reply_text AS text FROM engine.turn WHERE receipt_id = $1',
      [receipt],
    );
    return Object.fromEntries(rows.map(({ id, text }) => [id, text]));
  };
  const erase = (body: object) =>
    world.internal<{ open: number; turn_ids: string[]; delivery_ids: string[] }>('POST', 'erasures', {
      by: 'user:a',
      ...body,
    });

  it('takes the turns of a message and those that they called, and none of others in the same event', async () => {
    const receipt_id = newId('evt');
    const [ann, ben] = [await ended({ receipt_id }), await ended({ receipt_id })];
    const called = await ended({ receipt_id }, ann.turn_id);
    const further = await ended({ receipt_id }, called.turn_id);
    const calledByBen = await ended({ receipt_id }, ben.turn_id);
    const theirs = { receipt_ids: [receipt_id], own_receipt_ids: [], message_ids: [ann.message_id] };
    const { status, body } = await erase(theirs);
    expect([status, body.open]).toEqual([200, 0]);
    const gone = [ann, called, further].map(({ turn_id }) => turn_id);
    expect(body.turn_ids.toSorted()).toEqual(gone.toSorted());
    expect(body.delivery_ids.toSorted()).toEqual(gone.map((id) => `dlv_of_${id}`).toSorted());
    expect(await textsOf(receipt_id)).toEqual({
      ...Object.fromEntries(gone.map((id) => [id, null])),
      [ben.turn_id]: 'words',
      [calledByBen.turn_id]: 'words',
    });
  });

  it('takes every turn of an event in which nobody else has a message', async () => {
    const receipt_id = newId('evt');
    const [first, second] = [await ended({ receipt_id }), await ended({ receipt_id })];
    const { body } = await erase({ receipt_ids: [receipt_id], own_receipt_ids: [receipt_id], message_ids: [] });
    expect(body.turn_ids.toSorted()).toEqual([first.turn_id, second.turn_id].toSorted());
    expect(Object.values(await textsOf(receipt_id))).toEqual([null, null]);
  });

  it('empties a turn whose sender called its message erased', async () => {
    const turn = turnOf(
      {},
      { message: { event_type: 'message', sender: 'ada', message: 'secret', is_bot: false, metadata: { erased: 1 } } },
    );
    await ended(turn);
    await world.query(`UPDATE engine.turn SET reply_text = NULL WHERE id = $1`, [turn.turn_id]);
    await erase({ receipt_ids: [turn.receipt_id], own_receipt_ids: [turn.receipt_id], message_ids: [] });
    const [row] = await world.query<{ text: string }>('SELECT input::text AS text FROM engine.turn WHERE id = $1', [
      turn.turn_id,
    ]);
    expect(row!.text).not.toContain('secret');
  });

  it('takes the transcripts of its voice notes, and not those of other words', async () => {
    const heard = (text: string) => ({
      message: {
        event_type: 'message',
        sender: 'ada',
        message: '',
        is_bot: false,
        metadata: { transcripts: [{ attachment_id: 'v1', name: 'voice', text }] },
      },
    });
    const turn = await ended(turnOf({}, heard('my secret')));
    for (const [sha256, text] of [
      ['a1', 'my secret'],
      ['b2', 'of somebody else'],
    ]) {
      await world.query(
        `INSERT INTO engine.transcript (project_id, file_sha256, organization_id, name, media_type, bytes, text, model, cost_micros)
         VALUES ($1, $2, $3, 'voice', 'audio/ogg', 1, $4, 'ears/whisper', 0)`,
        [turn.project_id, sha256, turn.organization_id, text],
      );
    }
    await erase({ receipt_ids: [turn.receipt_id], own_receipt_ids: [turn.receipt_id], message_ids: [] });
    const left = await world.query<{ text: string }>('SELECT text FROM engine.transcript');
    expect(left.map(({ text }) => text)).toEqual(['of somebody else']);
  });
});
