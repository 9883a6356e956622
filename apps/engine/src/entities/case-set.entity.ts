import type { AnswerRule } from '#libs/answer-rules';
import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** Turns of an agent under a name, whose messages its versions are asked again and again, with the rules for answers. */
@Entity({ schema: 'engine', name: 'case_set' })
@Unique('case_set_name', ['agent_id', 'name'])
export class CaseSet {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'case_set_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) agent_id: string;
  @Column({ type: 'text' }) name: string;
  /** In their order. One that is past its retention stays here, and can no longer be asked. */
  @Column({ type: 'text', array: true }) turn_ids: string[];
  @Column({ type: 'jsonb' }) rules: AnswerRule[];
  /** `key:<id>` or `user:<id>`. */
  @Column({ type: 'text' }) made_by: string;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}
