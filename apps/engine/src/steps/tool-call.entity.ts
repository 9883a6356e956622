import type { CredentialBinding, ToolGrade, ToolsetTool } from '#libs/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** `begun`: in flight, or its process died and the outcome is unknown. `refused` and `rehearsed` were never made. */
export type CallOutcome = 'begun' | 'ok' | 'error' | 'refused' | 'rehearsed';

/** An access token that a Python tool was given: of which credential and version, and its SHA-256 in hex. */
export interface GivenToken extends Pick<CredentialBinding, 'as' | 'credential_id' | 'skill_id'> {
  version: number;
  sha256: string;
}

/** The audit record of a tool call: who called what, with which outcome. Arguments are hashed, results left out. */
@Entity({ schema: 'engine', name: 'tool_call' })
@Index('tool_call_callback', ['callback_sha256'], { unique: true, where: 'callback_sha256 IS NOT NULL' })
@Index('tool_call_python', ['tool_id', 'turn_id', 'seq'], { where: "source = 'python'" })
export class ToolCallRecord {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'tool_call_pkey' }) turn_id: string;
  /** Seq of the step in which the call begins or is refused. */
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'tool_call_pkey' }) seq: number;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) agent_id: string;
  @Column({ type: 'text' }) call_ref: string;
  /** The name that the model used. */
  @Column({ type: 'text' }) tool: string;
  @Column({ type: 'text' }) source: ToolsetTool['source'] | 'none';
  @Column({ type: 'text', nullable: true }) tool_id: string | null;
  @Column({ type: 'text' }) grade: ToolGrade | 'none';
  @Column({ type: 'text' }) arguments_sha256: string;
  @Column({ type: 'text' }) outcome: CallOutcome;
  /** Of a failure. */
  @Column({ type: 'text', nullable: true }) code: string | null;
  @Column({ type: 'double precision', nullable: true }) duration_ms: number | null;
  /** Hash of the token with which a Python tool asks the engine for HTTP. The token is void once the call has ended. */
  @Column({ type: 'text', nullable: true }) callback_sha256: string | null;
  /** How many requests it has made. */
  @Column({ type: 'integer', default: 0 }) callbacks: number;
  /** The only hosts that they may reach; null: any. */
  @Column({ type: 'text', array: true, nullable: true }) hosts: readonly string[] | null;
  /** The access tokens that a Python tool was given, as digests; null: none. */
  @Column({ type: 'jsonb', nullable: true }) tokens: GivenToken[] | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
  @Column({ type: 'timestamptz', nullable: true }) finished_at: Date | null;
}
