import type { Endpoint } from '#libs/contracts';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/**
 * The ingress's copy of what the gateway says about an App, so that webhooks are answered while the gateway is down.
 */
@Entity({ schema: 'ingress', name: 'endpoint' })
@Unique('endpoint_token_hash', ['token_hash'])
export class EndpointRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'endpoint_pkey' }) app_id: string;
  @Column({ type: 'text' }) token_hash: string;
  @Column({ type: 'integer' }) version: number;
  @Column({ type: 'jsonb' }) definition: Endpoint;
}

/** A refused request: what is needed to find out why, without its body. */
@Entity({ schema: 'ingress', name: 'refusal' })
@Index('refusal_by_project', ['project_id', 'id'])
@Index('refusal_open', ['at'], { where: 'event_id IS NULL' })
export class Refusal {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'refusal_pkey' }) id: string;
  @Column({ type: 'timestamptz' }) at: Date;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) app_id: string;
  @Column({ type: 'text' }) code: string;
  @Column({ type: 'text' }) method: string;
  @Column({ type: 'text' }) header_names: string;
  @Column({ type: 'integer' }) body_bytes: number;
  @Column({ type: 'text' }) body_sha256: string;
  @Column({ type: 'text' }) remote_address: string;
  /** Requests that this row stands for: those over a limit are counted, not listed. */
  @Column({ type: 'integer', default: 1 }) times: number;
  /** When the last of several was refused. */
  @Column({ type: 'timestamptz', nullable: true }) last_at: Date | null;
  /** The sender's own name for the delivery, where it gives one. */
  @Column({ type: 'text', nullable: true }) delivery_id: string | null;
  /** The key under which the delivery is stored if it comes back. */
  @Column({ type: 'bytea', nullable: true }) key_hash: Buffer | null;
  /** The event of the same delivery, sent again later. */
  @Column({ type: 'text', nullable: true }) event_id: string | null;
}

/** A time in which webhooks were lost by the platform's own fault. The gateway is informed, and asks the providers. */
@Entity({ schema: 'ingress', name: 'outage' })
@Index('outage_unannounced', ['id'], { where: 'announced_at IS NULL' })
export class Outage {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'outage_pkey' }) id: string;
  /** Null: nothing was received, for any App. */
  @Column({ type: 'text', nullable: true }) app_id: string | null;
  @Column({ type: 'timestamptz' }) since: Date;
  @Column({ type: 'timestamptz' }) until: Date;
  /** When the gateway had stored it. */
  @Column({ type: 'timestamptz', nullable: true }) announced_at: Date | null;
}
