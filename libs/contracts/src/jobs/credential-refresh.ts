import { IsInt, IsString } from 'class-validator';
import { defineJob } from '../job-contract.js';

/**
 * Refresh one OAuth grant, unless its tokens are newer than `version`. It carries no state: the grant's row says when.
 */
export class CredentialRefreshPayload {
  @IsString() credential_id: string;
  @IsInt() version: number;
  /** Seconds since the epoch; a retry of the same version is another job. */
  @IsInt() due_at: number;
}

export const credentialRefresh = defineJob<CredentialRefreshPayload>({
  name: 'credential.refresh',
  queue: 'refresh',
  payload: CredentialRefreshPayload,
  jobId: (payload) => `${payload.credential_id}-${payload.version}-${payload.due_at}`,
  attempts: 1,
  backoff: { baseMs: 1_000, capMs: 30_000 },
});
