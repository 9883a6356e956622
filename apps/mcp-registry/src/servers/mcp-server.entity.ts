import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

export const authModes = ['none', 'bearer', 'header', 'oauth'] as const;
export type AuthMode = (typeof authModes)[number];

/** What happens to a tool whose definition is not the approved one: it waits, it is taken and told, it is taken. */
export const policies = ['block', 'warn', 'auto'] as const;
export type Policy = (typeof policies)[number];

/**
 * `reachable`: answers, and its tools are as approved; `drifted`: answers, but its tools are not; `auth_failed`: refuses
 * the credential, or has none yet; `degraded`: no answer, or none that can be used.
 */
export const healths = ['reachable', 'drifted', 'auth_failed', 'degraded'] as const;
export type Health = (typeof healths)[number];

export type TransportKind = 'streamable_http' | 'sse';

/** A registered MCP server of one project. */
@Entity({ schema: 'registry', name: 'mcp_server' })
@Unique('mcp_server_slug', ['project_id', 'slug'])
@Index('mcp_server_due', ['discover_at'])
export class McpServer {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'mcp_server_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) slug: string;
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'text' }) url: string;
  /** What it was last reached by; null before the first time. */
  @Column({ type: 'text', nullable: true }) transport: TransportKind | null;
  @Column({ type: 'text', nullable: true }) protocol_version: string | null;
  @Column({ type: 'jsonb', nullable: true }) server_info: { name: string; version: string } | null;
  @Column({ type: 'text' }) auth_mode: AuthMode;
  /** The header that carries the credential in mode `header`. */
  @Column({ type: 'text', nullable: true }) auth_header: string | null;
  @Column({ type: 'text', nullable: true }) credential_id: string | null;
  @Column({ type: 'text' }) policy: Policy;
  /** False until a first complete listing was taken as what the person who registered it saw. */
  @Column({ type: 'boolean' }) has_baseline: boolean;
  @Column({ type: 'text' }) health: Health;
  @Column({ type: 'text', nullable: true }) health_reason: string | null;
  @Column({ type: 'timestamptz', nullable: true }) checked_at: Date | null;
  @Column({ type: 'timestamptz' }) discover_at: Date;
  @Column({ type: 'timestamptz' }) created_at: Date;
  @Column({ type: 'timestamptz' }) updated_at: Date;
}
