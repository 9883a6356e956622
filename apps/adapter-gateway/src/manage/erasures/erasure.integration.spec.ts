import { newId } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { home, until } from '#libs/testing';
import { randomUUID } from 'node:crypto';
import { Deliveries } from '../../testing/deliveries.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';

interface Erased {
  erased: Record<string, number>;
  open: number;
}

describe('an erasure in the gateway', () => {
  let world: GatewayWorld;
  let adapter: FakeAdapter;
  let deliveries: Deliveries;
  let app: string;

  beforeAll(async () => {
    adapter = await fakeAdapter('post', { credentials: [], message: { mail: true } });
    world = await startGateway({}, adapter);
    deliveries = new Deliveries(world);
    app = (await world.install(adapter)).id;
    adapter.routes['deliver'] = () => ({
      ok: false,
      error: 'provider_unavailable',
      error_detail: { retryable: true, retry_after: 600 },
    });
  });
  afterAll(() => world.close());

  const erase = (body: object) => world.internal<Erased>('POST', 'erasures', { by: 'user:a', ...body });
  /** @returns the id of a delivery that waits */
  async function waiting(): Promise<string> {
    const id = await deliveries.send(app, { text: 'words' });
    await until('it waits', async () => {
      const { state, error } = await deliveries.read(id);
      return state === 'queued' && error !== null;
    });
    return id;
  }

  it('ends a delivery that waits, which its timeline says once', async () => {
    const id = await waiting();
    expect((await erase({ delivery_ids: [id] })).body).toMatchObject({ erased: { deliveries: 1 }, open: 0 });
    expect((await erase({ delivery_ids: [id] })).body).toMatchObject({ erased: { deliveries: 0 }, open: 0 });
    expect(await deliveries.read(id)).toMatchObject({ state: 'expired', error: 'erased', content: { text: '' } });
    const ends = (await deliveries.journalOf(id)).filter((entry) => entry.startsWith('expired'));
    expect(ends).toEqual(['expired erased']);
    const { rows } = await world.pool.query(
      `SELECT e.receipt_id = d.receipt_id AS same, e.stage, e.attempt FROM ${everyEntry} e
         JOIN gateway.delivery d ON d.id = e.subject_id WHERE d.id = $1 AND e.reason = 'erased'`,
      [id],
    );
    expect(rows).toEqual([{ same: true, stage: 'delivery', attempt: 1 }]);
  });

  it('takes the mail of a web chat that is handed over just then, with the row that names it', async () => {
    const visitor = `user:${randomUUID()}`;
    const owner = [home.organizationId, home.projectId, app, visitor];
    await world.pool.query(
      `INSERT INTO gateway.web_chat_conversation (organization_id, project_id, app_id, visitor, last_seq) VALUES ($1, $2, $3, $4, 2)`,
      owner,
    );
    const mail = (id: string, seq: number) =>
      world.pool.query(
        `INSERT INTO gateway.web_chat_mail (organization_id, project_id, app_id, visitor, id, kind, message_id, seq, due_at)
         VALUES ($1, $2, $3, $4, $5, 'answer', $5, $6, now() + interval '1 hour')`,
        [...owner, id, seq],
      );
    const [waits, handed, delivery] = [newId('wcm'), newId('wcm'), await waiting()];
    await mail(waits, 1);
    await mail(handed, 2);
    // Whoever hands it over holds the conversation.
    const client = await world.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT FROM gateway.web_chat_conversation WHERE visitor = $1 FOR UPDATE', [visitor]);
      const erasing = erase({ identities: [{ app_id: app, sender: visitor }] });
      await until('the erasure waits for it', async () => {
        const { rows } = await world.pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
              AND query LIKE '%web_chat_conversation%'`,
        );
        return rows.length > 0;
      });
      await client.query(`UPDATE gateway.web_chat_mail SET state = 'handed', delivery_id = $2 WHERE id = $1`, [
        handed,
        delivery,
      ]);
      await client.query('COMMIT');
      expect((await erasing).body).toMatchObject({
        erased: { deliveries: 1, web_chats: 1, web_chat_mails: 2 },
        open: 0,
      });
    } finally {
      client.release();
    }
    expect(await deliveries.read(delivery)).toMatchObject({ state: 'expired', content: { text: '' } });
    const { rows } = await world.pool.query('SELECT id FROM gateway.web_chat_mail WHERE visitor = $1', [visitor]);
    expect(rows).toEqual([]);
  });

  it('keeps what names a mail that is being sent, and takes one of a mail that nobody has handed over', async () => {
    const visitor = `user:${randomUUID()}`;
    const owner = [home.organizationId, home.projectId, app, visitor];
    const [waits, handed, delivery] = [newId('wcm'), newId('wcm'), await waiting()];
    for (const [id, state, names] of [
      [waits, 'queued', null],
      [handed, 'handed', delivery],
    ]) {
      await world.pool.query(
        `INSERT INTO gateway.web_chat_mail (organization_id, project_id, app_id, visitor, id, kind, message_id, seq, state,
           delivery_id, due_at) VALUES ($1, $2, $3, $4, $5, 'answer', $5, 1, $6, $7, now() + interval '1 hour')`,
        [...owner, id, state, names],
      );
    }
    const send = (state: string) =>
      world.pool.query(
        `UPDATE gateway.delivery SET state = $2, lease_until = now() + interval '1 hour' WHERE id = $1`,
        [delivery, state],
      );
    await send('sending');
    const identities = [{ app_id: app, sender: visitor }];
    expect((await erase({ identities })).body).toMatchObject({ erased: { web_chat_mails: 1 }, open: 1 });
    await send('queued');
    expect((await erase({ identities })).body).toMatchObject({ erased: { web_chat_mails: 1, deliveries: 1 }, open: 0 });
  });
});
