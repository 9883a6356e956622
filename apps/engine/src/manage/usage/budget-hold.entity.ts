import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * What a running turn may still use of its agent's day, besides what is counted in `usage`. That of a turn that does not
 * run counts for nothing.
 */
@Entity({ schema: 'engine', name: 'budget_hold' })
@Index('budget_hold_by_agent', ['project_id', 'agent_id'])
export class BudgetHold {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'budget_hold_pkey' }) turn_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) agent_id: string;
  /** Empty when the sender is no contact. */
  @Column({ type: 'text' }) contact_id: string;
  @Column({ type: 'bigint' }) tokens: string;
  @Column({ type: 'bigint' }) cost_micros: string;
}
