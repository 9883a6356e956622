import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A Skill whose adapter was unregistered. The row is deleted once the registry has removed the Skill. */
@Entity({ schema: 'gateway', name: 'skill_removal' })
export class SkillRemovalRow {
  /** The adapter's id. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'skill_removal_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) slug: string;
  @Column({ type: 'timestamptz' }) created_at: Date;
}
