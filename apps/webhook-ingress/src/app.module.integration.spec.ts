import { slowClient, until } from '#libs/testing';
import { ReceiptWriter } from './path/receipts/receipt-writer.js';
import { writerName } from './path/receipts/write-receipts.js';
import { endpoint } from './testing/fake-gateway.js';
import { type IngressWorld, openIngress } from './testing/ingress-world.js';

let world: IngressWorld;

beforeAll(async () => {
  world = await openIngress({ endpoints: [endpoint('open', { kind: 'builtin', verification: 'none' })] });
});
afterAll(() => world.close());

/** Resolves when the service, in its shutdown, begins to wait for the receipts that are being written. */
const drains = (writer: ReceiptWriter): Promise<void> =>
  new Promise((resolve) => {
    const drain = writer.onApplicationShutdown.bind(writer);
    writer.onApplicationShutdown = () => {
      resolve();
      return drain();
    };
  });

describe('an ingress that stops', () => {
  it('still writes down as refused a webhook whose receipt could not be stored at the end', async () => {
    const app = await world.start();
    const lock = await world.pool.connect();
    await lock.query('BEGIN');
    // Sweeps, which a service that stops waits for, still read.
    await lock.query('LOCK TABLE ingress.receipt IN SHARE MODE');
    try {
      const head = 'POST /api/v1/webhooks/open HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
      const client = await slowClient(world.url, `${head}content-length: 2\r\n\r\n{}`);
      const waiting = `SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = $1 AND wait_event_type = 'Lock'`;
      const [writer] = await until('its receipt is being written', async () => {
        const found = await world.query<{ pid: number }>(waiting, [writerName]);
        return found.length > 0 && found;
      });
      // The server waits for answers, but this sender is gone.
      client.socket.resetAndDestroy();
      const drained = drains(app.get(ReceiptWriter, { strict: false }));
      const closed = app.close();
      await drained;
      await world.query('SELECT pg_terminate_backend($1)', [writer?.pid]);
      await closed;
    } finally {
      await lock.query('ROLLBACK');
      lock.release();
    }
    expect(await world.query('SELECT id FROM ingress.receipt')).toEqual([]);
    expect(await world.query('SELECT app_id, code FROM ingress.refusal')).toEqual([
      { app_id: 'app_open', code: 'unavailable' },
    ]);
  });
});
