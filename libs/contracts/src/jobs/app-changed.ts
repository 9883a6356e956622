import { IsInt, IsString } from 'class-validator';
import { defineJob } from '../job-contract.js';

/** An App changed: the ingress reads the endpoints from the gateway. It carries no state; the ingress also polls. */
export class AppChangedPayload {
  @IsString() app_id: string;
  @IsInt() version: number;
}

export const appChanged = defineJob<AppChangedPayload>({
  name: 'app.changed',
  queue: 'app-changes',
  payload: AppChangedPayload,
  jobId: (payload) => `${payload.app_id}-${payload.version}`,
  attempts: 5,
  backoff: { baseMs: 250, capMs: 5_000 },
});
