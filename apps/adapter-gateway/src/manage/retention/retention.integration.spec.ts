import { firstId, newId } from '#libs/contracts';
import { fakeAdapter, type FakeAdapter } from '../../testing/fake-adapter.js';
import { Deliveries } from '../../testing/deliveries.js';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';
import { RetentionRepository } from './retention.repository.js';

const dayMs = 86_400_000;

describe('the retention of the gateway', () => {
  let world: GatewayWorld;
  let adapter: FakeAdapter;
  let app: string;
  let deliveries: Deliveries;
  let rows: RetentionRepository;

  beforeAll(async () => {
    world = await startGateway();
    deliveries = new Deliveries(world);
    rows = (await world.start()).get(RetentionRepository, { strict: false });
    adapter = await fakeAdapter('chat-retention');
    adapter.routes['deliver'] = ({ idempotency_key: key }) => ({ ok: true, message_id: `m ${key}` });
    app = (await world.install(adapter)).id;
  });
  afterAll(async () => {
    await adapter.close();
    await world.close();
  });

  /** A delivery that ended so many days ago. */
  async function ended(days: number, state = 'delivered'): Promise<string> {
    const sent = await deliveries.send(app, { text: 'the words of a reply', thread: 't' });
    await deliveries.inState(sent, 'delivered');
    const at = new Date(Date.now() - days * dayMs);
    const id = firstId('dlv', at) + newId('dlv').slice(16);
    await world.pool.query(
      'UPDATE gateway.delivery SET id = $2, state = $3, created_at = $4, ended_at = $5 WHERE id = $1',
      [sent, id, state, at, state === 'queued' ? null : at],
    );
    await world.pool.query(`INSERT INTO gateway.delivery_part VALUES ($1, 1, 'the words', 'plain')`, [id]);
    await world.pool.query(`INSERT INTO gateway.delivery_attachment VALUES ($1, 1, 'a file')`, [id]);
    await world.pool.query(
      `INSERT INTO gateway.offered_choice (delivery_id, number, app_id, address_hash, action_id, label, value)
       VALUES ($1, 1, $2, 'hash', 'action', 'Yes', 'yes')`,
      [id, app],
    );
    return id;
  }
  const left = async (table: string, key: string): Promise<string[]> =>
    (await world.pool.query(`SELECT DISTINCT ${key} AS id FROM gateway.${table} ORDER BY 1`)).rows.map(({ id }) => id);

  it('deletes old deliveries with their parts, files and choices, whatever became of them, and keeps what waits or is younger', async () => {
    const gone = [await ended(40), await ended(40, 'unknown')];
    const kept = [await ended(40, 'queued'), await ended(29)].sort();
    expect(await rows.deleteOld('delivery', 30, 1)).toBe(1);
    expect(await rows.deleteOld('delivery', 30, 10)).toBe(gone.length - 1);
    expect(await left('delivery', 'id')).toEqual(kept);
    for (const table of ['delivery_part', 'delivery_attachment', 'offered_choice']) {
      expect(await left(table, 'delivery_id')).toEqual(kept);
    }
  });

  it('keeps the mail of a web chat as long as it is kept there: answers to it are recognised by it', async () => {
    const mail = await ended(40);
    await world.pool.query(
      `INSERT INTO gateway.web_chat_mail (id, organization_id, project_id, app_id, visitor, kind, delivery_id, state, due_at)
       SELECT 'wcm_1', organization_id, project_id, app_id, 'visitor', 'answer', id, 'sent', now() FROM gateway.delivery WHERE id = $1`,
      [mail],
    );
    await rows.deleteOld('delivery', 30, 10);
    expect(await left('delivery', 'id')).toContain(mail);
    await world.pool.query('DELETE FROM gateway.web_chat_mail');
    await rows.deleteOld('delivery', 30, 10);
    expect(await left('delivery', 'id')).not.toContain(mail);
  });

  it('keeps a delivery until the day of its receipt is dropped', async () => {
    const ofThatDay = await ended(31);
    await rows.deleteOld('delivery', 30, 10);
    expect(await left('delivery', 'id')).toContain(ofThatDay);
  });

  it('deletes those of a project with a shorter retention, and none of another', async () => {
    const [old, foreign] = [await ended(8), await ended(8)];
    await world.pool.query(`UPDATE gateway.delivery SET project_id = 'prj_other' WHERE id = $1`, [foreign]);
    const { rows: known } = await world.pool.query('SELECT project_id FROM gateway.delivery WHERE id = $1', [old]);
    expect(await rows.deleteOldOf(known[0].project_id, 7, 10)).toBeGreaterThanOrEqual(1);
    const ids = await left('delivery', 'id');
    expect([ids.includes(old), ids.includes(foreign)]).toEqual([false, true]);
  });
});
