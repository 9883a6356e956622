import { IsString } from 'class-validator';
import { defineJob } from '../job-contract.js';

/** Continue one committed synchronisation of a document source; whoever gets its lease does so. */
export class SourceSyncPayload {
  @IsString() run_id: string;
}

export const sourceSync = defineJob<SourceSyncPayload>({
  name: 'source.sync',
  queue: 'sync',
  payload: SourceSyncPayload,
  jobId: (payload) => payload.run_id,
  attempts: 8,
  backoff: { baseMs: 500, capMs: 30_000 },
});
