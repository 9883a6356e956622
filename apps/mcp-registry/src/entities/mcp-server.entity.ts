import type { ContentTrust } from '#libs/contracts';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

export const authModes = ['none', 'bearer', 'header', 'oauth'] as const;
export type AuthMode = (typeof authModes)[number];

/**
 * What happens to a tool whose definition is not the approved one: it waits (block), it is accepted and reported
 * (warn), or it is accepted (auto).
 */
export const policies = ['block', 'warn', 'auto'] as const;
export type Policy = (typeof policies)[number];

/**
 * `reachable`: answers, and its tools are as approved; `drifted`: answers, but its tools differ; `auth_failed`: refuses
 * the credential, or has none yet; `degraded`: no answer, or no usable one.
 */
export const healths = ['reachable', 'drifted', 'auth_failed', 'degraded'] as const;
export type Health = (typeof healths)[number];

/** Whose the session is in which tools are called: each conversation has one, or all share one. */
export const sessionChoices = ['conversation', 'shared'] as const;
export type SessionChoice = (typeof sessionChoices)[number];

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
  /** The transport of the last connection; null before the first. */
  @Column({ type: 'text', nullable: true }) transport: TransportKind | null;
  /** The revision that was negotiated when it was last listed. One of before 2026-07-28 is not asked for a newer one until then. */
  @Column({ type: 'text', nullable: true }) protocol_version: string | null;
  @Column({ type: 'jsonb', nullable: true }) server_info: { name: string; version: string } | null;
  @Column({ type: 'text' }) auth_mode: AuthMode;
  /** The header that carries the credential in mode `header`. */
  @Column({ type: 'text', nullable: true }) auth_header: string | null;
  @Column({ type: 'text', nullable: true }) credential_id: string | null;
  @Column({ type: 'text' }) policy: Policy;
  /** How far the results of its tools are trusted, if a tool has no trust of its own. */
  @Column({ type: 'text', default: 'untrusted' }) trust: ContentTrust;
  @Column({ type: 'text', default: 'conversation' }) sessions: SessionChoice;
  /** It gave no session when it was last listed: there is nothing to keep apart. */
  @Column({ type: 'boolean', default: false }) stateless: boolean;
  /** False until the first complete listing was accepted as what the person who registered the server saw. */
  @Column({ type: 'boolean' }) has_baseline: boolean;
  @Column({ type: 'text' }) health: Health;
  @Column({ type: 'text', nullable: true }) health_reason: string | null;
  @Column({ type: 'timestamptz', nullable: true }) checked_at: Date | null;
  /** How long its last listing holds, as it says, at most DISCOVERY_TTL_MAX_MS; null: it does not say. */
  @Column({ type: 'integer', nullable: true }) list_ttl_ms: number | null;
  @Column({ type: 'timestamptz' }) discover_at: Date;
  @Column({ type: 'timestamptz' }) created_at: Date;
  @Column({ type: 'timestamptz' }) updated_at: Date;
}
