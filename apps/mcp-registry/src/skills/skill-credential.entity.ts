import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Skill } from './skill.entity.js';

/** A credential that a Skill's tools may use, by reference: its values stay in the vault. */
@Entity({ schema: 'registry', name: 'skill_credential' })
export class SkillCredential {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'skill_credential_pkey' }) skill_id: string;
  /** The name that tools know it by. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'skill_credential_pkey' }) name: string;
  @ManyToOne(() => Skill, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'skill_id', foreignKeyConstraintName: 'skill_credential_skill_fkey' })
  skill?: Relation<Skill>;
  @Column({ type: 'text' }) credential_id: string;
  /** Where the platform may send it: `api.example.com`, `*.example.com`, `host:port`. Empty: where its own record says. */
  @Column({ type: 'text', array: true, default: '{}' }) hosts: string[];
  /** The header that it goes in; null: as its own record says, else `authorization`. */
  @Column({ type: 'text', nullable: true }) header: string | null;
  /** What stands before it in the header; null: as its own record says, else by its kind. */
  @Column({ type: 'text', nullable: true }) scheme: string | null;
}
