import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Skill } from './skill.entity.js';

/** A tool in a Skill. */
@Entity({ schema: 'registry', name: 'skill_tool' })
export class SkillTool {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'skill_tool_pkey' }) skill_id: string;
  /** A tool's id, or `builtin:<name>`. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'skill_tool_pkey' }) tool: string;
  @ManyToOne(() => Skill, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'skill_id', foreignKeyConstraintName: 'skill_tool_skill_fkey' })
  skill?: Relation<Skill>;
  @Column({ type: 'boolean' }) enabled: boolean;
}
