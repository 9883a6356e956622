import type { ScopeColumns } from '#libs/contracts';
import { WorkRow } from '#libs/work';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Receiver } from './alert-rule.entity.js';

export const alertKinds = ['began', 'still', 'over', 'test'] as const;
export type AlertKind = (typeof alertKinds)[number];

/** As a receiver reads it. */
export interface AlertMessage {
  subject: string;
  text: string;
}

/**
 * One message to one receiver. `done`: its App delivered it. Its id is the gateway's idempotency key, so that it is
 * delivered once however often it is handed over.
 */
@Entity({ schema: 'portal', name: 'alert' })
@Index('alert_once_key', ['once'], { unique: true })
@Index('alert_project_idx', ['project_id', 'id'])
@Index('alert_due_idx', ['due_at'], { where: `state IN ('queued', 'running')` })
export class Alert extends WorkRow<'queued' | 'running' | 'done' | 'dead'> implements ScopeColumns {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'alert_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) rule_id: string;
  @Column({ type: 'text' }) rule_name: string;
  /** Rule, cause, beginning, how many there were before, and receiver. */
  @Column({ type: 'text' }) once: string;
  @Column({ type: 'text' }) kind: AlertKind;
  @Column({ type: 'text' }) cause: string;
  @Column({ type: 'text' }) code: string;
  @Column({ type: 'text' }) severity: 'error' | 'warning';
  @Column({ type: 'text' }) text: string;
  @Column({ type: 'text' }) what_to_do: string;
  @Column({ type: 'timestamptz' }) since: Date;
  @Column({ type: 'jsonb' }) receiver: Receiver;
  /** What is sent: the same in every attempt, whatever is renamed meanwhile. */
  @Column({ type: 'jsonb' }) message: AlertMessage;
  /** Of the gateway, once it has it. */
  @Column({ type: 'text', nullable: true }) delivery_id: string | null;
  /** Beside `reason`, in the words of whoever refused it. */
  @Column({ type: 'text', nullable: true }) error_detail: string | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}
