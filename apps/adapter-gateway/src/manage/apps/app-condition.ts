import { ApiProperty } from '@nestjs/swagger';
import type { AdapterRow, AppRow } from '../../entities/app.entity.js';
import type { TroubledConnection } from './troubled-connections.js';

/**
 * `failing`: it hears nothing, its replies are not delivered, or its webhook could not be renewed. `degraded`: it hears
 * only a part. `waiting`: replies wait to be sent again. `unready`: its adapter is not ready. `incomplete`: a credential
 * is missing.
 */
const conditions = [
  'active',
  'paused',
  'disabled',
  'retired',
  'incomplete',
  'unready',
  'failing',
  'degraded',
  'waiting',
] as const;

/** Whether an App works, in one word: the same on every page and in every list. */
export class AppCondition {
  @ApiProperty({ enum: conditions }) state: (typeof conditions)[number];
  @ApiProperty({ type: String, nullable: true, description: 'Why, in words; null: it works' }) why: string | null;
}

/** What became of an App's newest replies: those since the last that was delivered. */
export interface NewestReplies {
  app_id: string;
  /** Replies of the last day that were not delivered, and why the newest was not. */
  dead: number;
  dead_reason: string | null;
  /** Replies that wait to be sent again, and what the newest waits for. */
  waiting: number;
  waiting_reason: string | null;
}

interface Facts extends Pick<AppRow, 'state' | 'renewal_failure'> {
  held_reason: 'paused' | 'adapter_disabled' | null;
  missing: string[];
}

export function conditionOf(
  { state, held_reason: held, missing, renewal_failure: renewal }: Facts,
  adapter: Pick<AdapterRow, 'state' | 'state_reason' | 'base_url'> | undefined,
  replies: NewestReplies | undefined,
  connection: TroubledConnection | undefined,
): AppCondition {
  if (state === 'retired') return { state, why: 'It is retired: it takes no requests and sends nothing.' };
  if (state === 'disabled') return { state, why: 'It is disabled: its requests are refused.' };
  if (held !== null) {
    const why = held === 'paused' ? 'It is paused' : 'Its adapter is disabled';
    return { state: 'paused', why: `${why}: its messages are held.` };
  }
  if (missing.length > 0) return { state: 'incomplete', why: `It has no usable credential for ${missing.join(', ')}.` };
  if (adapter && adapter.base_url !== null && adapter.state !== 'ready') {
    const why = adapter.state_reason ?? 'it does not say why';
    return { state: 'unready', why: `Its adapter is not ready: ${why}. Messages and replies wait.` };
  }
  if (connection?.failing) {
    const { reason, error_detail: detail } = connection;
    return { state: 'failing', why: `It hears nothing (${reason ?? 'no reason'}): ${detail ?? 'no detail'}.` };
  }
  const { dead = 0, dead_reason: died = null, waiting = 0, waiting_reason: waits = null } = replies ?? {};
  if (dead > 0) {
    const many = dead === 1 ? 'Its last reply was' : `Its last ${dead} replies were`;
    return { state: 'failing', why: `${many} not delivered (${died ?? 'no reason'}).` };
  }
  if (renewal) return { state: 'failing', why: `Its webhook could not be renewed: ${renewal.error}` };
  if (connection?.degraded) {
    const { error, message } = connection.degraded;
    return { state: 'degraded', why: `It hears only a part of its messages (${error}): ${message}.` };
  }
  if (waiting > 0) {
    const many = waiting === 1 ? '1 reply waits' : `${waiting} replies wait`;
    return { state: 'waiting', why: `${many} to be sent again (${waits ?? 'no reason'}).` };
  }
  return { state: 'active', why: null };
}
