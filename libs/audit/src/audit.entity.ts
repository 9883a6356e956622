import { Column, PrimaryColumn } from 'typeorm';

/** Actions of people and keys that others must be able to look up later. */
export const auditActions = [
  'agent.created',
  'agent.changed',
  'agent.promoted',
  'agent.published',
  'agent.unpublished',
  'agent.deleted',
  'alert_rule.created',
  'alert_rule.changed',
  'alert_rule.deleted',
  'approval.approved',
  'approval.refused',
  'api_key.created',
  'api_key.revoked',
  'app.text_from_set',
  'attention.muted',
  'attention.unmuted',
  'provider.created',
  'provider.changed',
  'provider.deleted',
  'source.trust_set',
  'source.access_set',
  'tool.regraded',
  'tool.tried',
  'tool.trust_set',
  'mcp_server.policy_set',
  'mcp_server.trust_set',
  'mcp_server.sessions_set',
  'member.added',
  'member.changed',
  'member.removed',
  'contact.reads_as_set',
  'document.access_set',
  'knowledge.meaning_changed',
  'memory.corrected',
  'memory.deleted',
  'memory.erased',
  'organization.created',
  'organization.renamed',
  'project.created',
  'project.renamed',
  'project.limits_set',
  'project.closed',
  'project.reopened',
  'project.leaving',
  'project.left',
  'project.arriving',
  'project.arrived',
  'project.move_aborted',
  'project.webhooks_ended',
  'project.peer_revoked',
  'session.started',
  'session.revoked',
  'sign_in_link.created',
  'web_chat.mail_set',
  'template.applied',
  'workflow.created',
  'workflow.changed',
  'trigger.created',
  'trigger.changed',
  'trigger.deleted',
  'channel.changed',
  'contact.erased',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** A row of a service's `audit` table, which is append-only; each service makes an entity of it. */
export abstract class AuditEntry {
  /** Sorts by time. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'audit_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  /** Empty: for the organization as a whole, shown in the log of each of its projects. */
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'timestamptz', default: () => 'now()' }) at: Date;
  /** `key:<id>`, `user:<id>`, `contact:<id>`; `service:portal` for the owner's key. */
  @Column({ type: 'text' }) actor: string;
  @Column({ type: 'text' }) action: AuditAction;
  /** Id of what was changed. */
  @Column({ type: 'text' }) subject: string;
  /** The changed fields as they were; null: the subject did not exist. Never a secret. */
  @Column({ type: 'jsonb', nullable: true }) before: Record<string, unknown> | null;
  /** The same fields after the change; null: the subject is gone. */
  @Column({ type: 'jsonb', nullable: true }) after: Record<string, unknown> | null;
  /** Of the request that did it; null: no request did (for example a contact's message). */
  @Column({ type: 'text', nullable: true }) request_id: string | null;
}

/** An entry as services exchange it. */
export type AuditRecord = Omit<AuditEntry, 'organization_id' | 'project_id' | 'at'> & { at: string };
