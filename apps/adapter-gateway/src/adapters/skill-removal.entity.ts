import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A Skill whose adapter was unregistered; gone when the registry has let go of it. */
@Entity({ schema: 'gateway', name: 'skill_removal' })
export class SkillRemovalRow {
  /** The adapter's. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'skill_removal_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) slug: string;
  @Column({ type: 'timestamptz' }) created_at: Date;
}
