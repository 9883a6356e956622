import { WorkRow } from '#libs/work';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Events that the provider no longer had when it was asked. */
export interface ConnectionGap {
  reason: string;
  /** RFC 3339; absent where the provider does not say. */
  since?: string;
  until?: string;
}

/** A part of a connection that fails, while the rest brings events. */
export interface DegradedConnection {
  error: string;
  message: string;
  /** RFC 3339 */
  since: string;
}

export const connectionStates = ['waiting', 'connected', 'degraded', 'failing', 'stopped'] as const;
export type ConnectionState = (typeof connectionStates)[number];

/**
 * An App whose provider is asked for its events, by one process at a time: the holder of the lease. `dead`: it is asked no
 * more, for its `reason`.
 */
@Entity({ schema: 'gateway', name: 'held_connection' })
@Index('held_connection_due', ['due_at'], { where: `"state" IN ('queued', 'running')` })
export class HeldConnection extends WorkRow<'queued' | 'running' | 'dead'> {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'held_connection_pkey' }) app_id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  /** After the last event that the ingress has stored; null: from the beginning of what the provider keeps. */
  @Column({ type: 'text', nullable: true }) cursor: string | null;
  /** Since when the provider has answered this holder without a failure. */
  @Column({ type: 'timestamptz', nullable: true }) connected_at: Date | null;
  /** When the provider last answered. */
  @Column({ type: 'timestamptz', nullable: true }) answered_at: Date | null;
  @Column({ type: 'timestamptz', nullable: true }) last_event_at: Date | null;
  @Column({ type: 'bigint', default: 0 }) events: string;
  /** The last one; null: none is known. */
  @Column({ type: 'jsonb', nullable: true }) gap: ConnectionGap | null;
  /** Of the last answer; null: all of it works. */
  @Column({ type: 'jsonb', nullable: true }) degraded: DegradedConnection | null;
  @Column({ type: 'text', nullable: true }) error_detail: string | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}

export type StateFields = Pick<HeldConnection, 'state' | 'connected_at' | 'degraded' | 'reason'>;

export function stateOf({ state, connected_at: connectedAt, degraded, reason }: StateFields): ConnectionState {
  if (state === 'dead') return 'stopped';
  if (state === 'running' && connectedAt !== null) return degraded ? 'degraded' : 'connected';
  return reason === null ? 'waiting' : 'failing';
}
