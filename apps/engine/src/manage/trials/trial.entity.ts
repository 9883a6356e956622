import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * A conversation in which a person tries an agent. It is the session of its turns, and no session of the project: nobody
 * wrote over a channel, and nothing is sent.
 */
@Entity({ schema: 'engine', name: 'trial' })
@Index('trial_old', ['created_at'])
export class Trial {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'trial_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) agent_id: string;
  /** `key:<id>` or `user:<id>`. */
  @Column({ type: 'text' }) made_by: string;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}
