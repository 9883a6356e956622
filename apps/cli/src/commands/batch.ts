import { setTimeout as pause } from 'node:timers/promises';
import type { Api } from '../api/api.js';
import { exits } from '../api/cli-error.js';
import type { Call } from '../call/command.js';

export interface Batch {
  id: string;
  state: 'running' | 'finished';
  total: number;
  done: number;
  failed: number;
  cancelled: number;
  failures: { id: string; error: string }[];
  more?: boolean;
}

const everyMs = 500;

/** Waits until a batch has finished, and reports the result. */
export async function followBatch(call: Call, api: Api, begun: Batch): Promise<number> {
  call.note(`Batch ${begun.id}: ${begun.total} items${begun.more ? ' (there are more than one batch takes)' : ''}.`);
  let batch = begun;
  while (batch.state === 'running') {
    await pause(everyMs);
    batch = await api.get<Batch>(`events/batches/${begun.id}`);
  }
  call.tell({ ...batch, more: begun.more });
  call.say(`${batch.done} done, ${batch.failed} failed, ${batch.cancelled} cancelled.`);
  for (const { id, error } of batch.failures) call.say(`${id}  ${error}`);
  return batch.failed > 0 ? exits.unwell : exits.done;
}
