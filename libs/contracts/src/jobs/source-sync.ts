import { IsString } from 'class-validator';
import { defineJob } from '../job-contract.js';

/** Go on with one committed synchronisation of a document source, by whoever gets its lease. */
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
