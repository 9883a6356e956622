import type { ProjectLimitsDto } from '#libs/project-limits';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

@Entity({ schema: 'portal', name: 'project' })
@Index('project_organization_idx', ['organization_id', 'id'])
export class Project {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'project_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) name: string;
  /** Nothing is changed in a closed project, and its keys are refused. */
  @Column({ type: 'timestamptz', nullable: true }) closed_at: Date | null;
  /** What is different from what the installation is set to; what is absent is not. */
  @Column({ type: 'jsonb', default: {} }) limits: Partial<ProjectLimitsDto>;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;
}
