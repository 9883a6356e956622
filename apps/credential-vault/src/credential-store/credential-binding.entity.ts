import {
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  UpdateDateColumn,
} from 'typeorm';
import type { KeyCheck } from '#libs/contracts';
import { Credential } from './credential.entity.js';

export const consumerKinds = ['app', 'skill', 'mcp_server', 'provider'] as const;
export type ConsumerKind = (typeof consumerKinds)[number];

/** What an App, a Skill, an MCP server or a provider of models may read of a credential, and under which names. */
@Entity({ schema: 'vault', name: 'credential_binding' })
@Index('credential_binding_consumer_key', ['credential_id', 'consumer_kind', 'consumer_id'], { unique: true })
@Index('credential_binding_by_consumer_idx', ['organization_id', 'project_id', 'consumer_kind', 'consumer_id'])
export class CredentialBinding {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'credential_binding_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) credential_id: string;
  @Column({ type: 'text' }) consumer_kind: ConsumerKind;
  @Column({ type: 'text' }) consumer_id: string;
  /** Null: every field that needs no approval. */
  @Column({ type: 'text', array: true, nullable: true }) fields: string[] | null;
  /** The consumer's names, by field. A field that is absent keeps its own name. */
  @Column({ type: 'jsonb' }) maps_to: Record<string, string>;
  /** For protected fields: the name under which an administrator approved each. */
  @Column({ type: 'jsonb' }) approved: Record<string, string>;
  /** Names that a signature check may read, the fields' own or the consumer's; null: every field. */
  @Column({ type: 'text', array: true, nullable: true }) signing: string[] | null;
  /** Which of them are keys, and of what form: new values are checked for it. */
  @Column({ type: 'jsonb', nullable: true }) key_check: KeyCheck | null;
  @Column({ type: 'text' }) created_by: string;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;
  @UpdateDateColumn({ type: 'timestamptz' }) updated_at: Date;

  @ManyToOne(() => Credential, { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'credential_id', foreignKeyConstraintName: 'credential_binding_credential_fkey' })
  credential: Credential;
}
