import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export const auditActions = [
  'created',
  'updated',
  'rotated',
  'deleted',
  'bound',
  'unbound',
  'approved',
  'verified',
  'resolved',
  'revealed',
  'revoked',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** Who did what with a credential; never a value. Outlives the credential. */
@Entity({ schema: 'vault', name: 'credential_audit' })
@Index('credential_audit_of_credential_idx', ['organization_id', 'project_id', 'credential_id', 'id'])
export class CredentialAudit {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'credential_audit_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) credential_id: string;
  @Column({ type: 'timestamptz', default: () => 'now()' }) at: Date;
  @Column({ type: 'text' }) actor: string;
  @Column({ type: 'text' }) action: AuditAction;
  @Column({ type: 'text', array: true }) fields: string[];
  /** The reason that the caller gave. */
  @Column({ type: 'text', nullable: true }) reason: string | null;
  /** `<kind>:<id>` of the consumer that it was for. */
  @Column({ type: 'text', nullable: true }) consumer: string | null;
  /** How often. Uses that repeat with every message are counted and written together. */
  @Column({ type: 'integer' }) times: number;
}
