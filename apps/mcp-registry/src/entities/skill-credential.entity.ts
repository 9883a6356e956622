import type { ContentTrust } from '#libs/contracts';
import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Skill } from './skill.entity.js';

/** A reference to a credential that a Skill's tools may use. Its values stay in the vault. */
@Entity({ schema: 'registry', name: 'skill_credential' })
export class SkillCredential {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'skill_credential_pkey' }) skill_id: string;
  /** The name by which tools refer to it. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'skill_credential_pkey' }) name: string;
  @ManyToOne(() => Skill, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'skill_id', foreignKeyConstraintName: 'skill_credential_skill_fkey' })
  skill?: Relation<Skill>;
  @Column({ type: 'text' }) credential_id: string;
  /** Where the platform may send it: `api.example.com`, `*.example.com`, `host:port`. Empty: as its own record says. */
  @Column({ type: 'text', array: true, default: '{}' }) hosts: string[];
  /** The header that carries it; null: as its own record says, else `authorization`. */
  @Column({ type: 'text', nullable: true }) header: string | null;
  /** The prefix in that header; null: as its own record says, else by its kind. */
  @Column({ type: 'text', nullable: true }) scheme: string | null;
  /** How far answers of `hosts` are trusted; null: not. */
  @Column({ type: 'text', nullable: true }) trust: ContentTrust | null;
}
