import type { ContentTrust } from '#libs/contracts';
import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Skill } from './skill.entity.js';

/** The editable content of a Skill. */
export interface SkillContent {
  name: string;
  description: string;
  knowledge: string;
  tools: SkillToolEntry[];
  credentials: SkillCredentialEntry[];
}

export interface SkillToolEntry {
  /** A tool's id, or `builtin:<name>`. */
  tool: string;
  enabled: boolean;
}

export interface SkillCredentialEntry {
  credential_id: string;
  /** The name by which the Skill's tools refer to it. */
  as: string;
  /** Where the platform may send it; absent: as its own record says. */
  hosts?: string[];
  header?: string;
  scheme?: string;
  /** How far answers of these hosts are trusted; absent: not. */
  trust?: ContentTrust;
}

@Entity({ schema: 'registry', name: 'skill_version' })
export class SkillVersion {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'skill_version_pkey' }) skill_id: string;
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'skill_version_pkey' }) version: number;
  @ManyToOne(() => Skill, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'skill_id', foreignKeyConstraintName: 'skill_version_skill_fkey' })
  skill?: Relation<Skill>;
  @Column({ type: 'jsonb' }) content: SkillContent;
  @Column({ type: 'text' }) created_by: string;
  @Column({ type: 'timestamptz' }) created_at: Date;
}
