import { IsString } from 'class-validator';
import { defineJob } from '../job-contract.js';

/** Revoke the tokens of a deleted credential at their provider. */
export class CredentialRevokePayload {
  @IsString() revocation_id: string;
}

export const credentialRevoke = defineJob<CredentialRevokePayload>({
  name: 'credential.revoke',
  queue: 'refresh',
  payload: CredentialRevokePayload,
  jobId: (payload) => payload.revocation_id,
  attempts: 1,
  backoff: { baseMs: 1_000, capMs: 30_000 },
});
