// Sends messages one after another, to each address in turn, until it is asked to stop. It prints the id of each acknowledged
// message. Like a provider, it resends one that was not acknowledged, with the same key.
import { setTimeout as pause } from 'node:timers/promises';

const [path = '', ...bases] = process.argv.slice(2);
let isStopped = false;
process.once('SIGTERM', () => (isStopped = true));

for (let index = 0; !isStopped; index += 1) {
  for (let id; id === undefined; await pause(50)) id = await send(index).catch(() => undefined);
}

/** @param {number} index @returns {Promise<string | undefined>} */
async function send(index) {
  const answer = await fetch(`${bases[index % bases.length]}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': `meanwhile-${index}` },
    body: JSON.stringify({ task: `meanwhile ${index}` }),
    signal: AbortSignal.timeout(10_000),
  });
  if (!answer.ok) return undefined;
  const { id } = /** @type {{id: string}} */ (await answer.json());
  process.stdout.write(`${id}\n`);
  return id;
}
