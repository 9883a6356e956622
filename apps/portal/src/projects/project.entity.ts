import type { ProjectLimitsDto } from '#libs/project-limits';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

@Entity({ schema: 'portal', name: 'project' })
@Index('project_organization_idx', ['organization_id', 'id'])
export class Project {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'project_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) name: string;
  /** A closed project is read-only, and its keys are refused. */
  @Column({ type: 'timestamptz', nullable: true }) closed_at: Date | null;
  /** Only the limits that differ from the installation's settings. */
  @Column({ type: 'jsonb', default: {} }) limits: Partial<ProjectLimitsDto>;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;
}
