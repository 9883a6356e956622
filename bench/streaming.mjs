import pg from 'pg';
import { signedApp, startGatehouse } from './gatehouse.mjs';
import { runLoad } from './processes.mjs';
import { readSession } from './session-reader.mjs';
import { startStreamedModel } from './streamed-model.mjs';
import { shown, table } from './table.mjs';
import { endedTurns, until } from './turn-states.mjs';

const secret = 'a-signing-secret-for-the-benchmark';

/**
 * How long after the model's first words a reader of the session has them, through the portal, with so many turns that
 * begin at once, each with a reader of its own.
 * @param {{together: number}} options
 * @throws Error when turns fail, or words are missing
 */
export async function benchStreaming({ together }) {
  const model = await startStreamedModel({ words: 60, wordEveryMs: 20 });
  model.hold();
  const gatehouse = await startGatehouse({
    name: 'streaming',
    serviceEnv: { engine: model.env },
    without: ['python-runner'],
  });
  const db = new pg.Client({ connectionString: gatehouse.postgres.url });
  await db.connect();
  try {
    const app = await signedApp(gatehouse, { secret, replyAddress: null });
    const load = { url: app.url, secret, fields: {}, bytes: 512, seconds: 600 };
    await runLoad({ ...load, connections: 4, rate: 200, count: together });
    await until('every model is asked', () => model.waiting() === together);
    const { rows } = await db.query(
      `SELECT session_id, input #>> '{message,thread_id}' AS thread FROM engine.turn WHERE state = 'running'`,
    );
    const readers = await Promise.all(
      rows.map(async ({ session_id: id, thread }) => ({ thread, reader: await readSession(gatehouse, id) })),
    );
    model.open();
    await until('every turn has ended', async () => (await endedTurns(db)) >= together);
    const lates = readers.map(({ thread, reader }) => {
      reader.leave();
      if (reader.firstMs === 0) throw new Error(`the reader of ${thread} had no words`);
      return reader.firstMs - (model.wroteMs.get(thread) ?? 0);
    });
    lates.sort((one, other) => one - other);
    return table(
      ['turns at once', 'first words, ms p50', 'max'],
      [[together, shown(lates[Math.floor(lates.length / 2)] ?? 0, 1), shown(lates.at(-1) ?? 0, 1)]],
    );
  } finally {
    await db.end();
    await gatehouse.close();
    model.close();
  }
}
