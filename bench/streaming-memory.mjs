import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { freePort } from '../scripts/launcher/ports.mjs';
import { signedApp, startGatehouse } from './gatehouse.mjs';
import { inspectHeap } from './inspector.mjs';
import { runLoad } from './processes.mjs';
import { readSession } from './session-reader.mjs';
import { startStreamedModel } from './streamed-model.mjs';
import { shown, table } from './table.mjs';
import { endedTurns, until } from './turn-states.mjs';

const secret = 'a-signing-secret-for-the-benchmark';
const rate = 20;
/** Turns of each session. */
const messagesOf = 5;

/**
 * What one engine holds after so many streamed turns: its heap once all garbage is collected, the buffers outside of it,
 * and the memory that the system counts. Every other round has readers, which come when a session begins and leave when
 * the round is over.
 * @param {{counts: number[]}} options turns after which is measured, ascending
 * @throws Error when turns fail, or nobody read a word
 */
export async function benchStreamingMemory({ counts }) {
  const model = await startStreamedModel({ words: 60, wordEveryMs: 20 });
  const port = await freePort();
  const gatehouse = await startGatehouse({
    name: 'streaming-memory',
    serviceEnv: { engine: model.env },
    flags: { engine: [`--inspect=127.0.0.1:${port}`] },
    without: ['python-runner'],
  });
  const db = new pg.Client({ connectionString: gatehouse.postgres.url });
  await db.connect();
  const heap = await inspectHeap(port);
  const residentMiB = async () => {
    const status = await readFile(`/proc/${gatehouse.pidOf('engine')}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024;
  };
  /** @type {Map<string, Awaited<ReturnType<typeof readSession>>>} */
  const readers = new Map();
  const followNew = async () => {
    const { rows } = await db.query(`SELECT DISTINCT session_id AS id FROM engine.turn WHERE state = 'running'`);
    const unread = rows.filter(({ id }) => !readers.has(id));
    await Promise.all(unread.map(async ({ id }) => readers.set(id, await readSession(gatehouse, id))));
  };
  try {
    /** @type {Array<Array<string | number>>} */
    const rows = [];
    let wordsRead = 0;
    const measure = async (/** @type {number} */ turns) => {
      const { usedMiB, buffersMiB } = await heap.use();
      rows.push([turns, shown(usedMiB, 1), shown(buffersMiB, 1), shown(await residentMiB(), 0)]);
    };
    await measure(0);
    let before = 0;
    for (const [round, count] of counts.entries()) {
      // With sessions of its own.
      const app = await signedApp(gatehouse, { secret, replyAddress: null, name: `Bench ${round}` });
      const load = runLoad({
        url: app.url,
        secret,
        fields: {},
        bytes: 512,
        seconds: 600,
        connections: 8,
        rate,
        count: count - before,
        threads: { atOnce: rate, messagesOf },
      });
      await until(`${count} turns have ended`, async () => {
        if (round % 2 === 0) await followNew();
        return (await endedTurns(db)) >= count;
      });
      await load;
      for (const reader of readers.values()) {
        wordsRead += reader.text.length;
        reader.leave();
      }
      readers.clear();
      await measure(count);
      before = count;
    }
    if (wordsRead === 0) throw new Error('nobody read a word');
    return table(['streamed turns', 'heap after a collection, MiB', 'buffers, MiB', 'RSS, MiB'], rows);
  } finally {
    heap.close();
    await db.end();
    await gatehouse.close();
    model.close();
  }
}
