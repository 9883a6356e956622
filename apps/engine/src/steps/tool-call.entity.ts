import type { ToolGrade, ToolsetTool } from '#libs/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** `begun` is a call in flight, or one whose outcome nobody knows: its process died. `refused` and `rehearsed` were never made. */
export type CallOutcome = 'begun' | 'ok' | 'error' | 'refused' | 'rehearsed';

/** One call of a tool, for the audit: who called what with which outcome. Arguments only as a hash, results not at all. */
@Entity({ schema: 'engine', name: 'tool_call' })
@Index('tool_call_callback', ['callback_sha256'], { unique: true, where: 'callback_sha256 IS NOT NULL' })
export class ToolCallRecord {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'tool_call_pkey' }) turn_id: string;
  /** Of the step that says the call begins, or was refused. */
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'tool_call_pkey' }) seq: number;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) agent_id: string;
  @Column({ type: 'text' }) call_ref: string;
  /** As the model called it. */
  @Column({ type: 'text' }) tool: string;
  @Column({ type: 'text' }) source: ToolsetTool['source'] | 'none';
  @Column({ type: 'text', nullable: true }) tool_id: string | null;
  @Column({ type: 'text' }) grade: ToolGrade | 'none';
  @Column({ type: 'text' }) arguments_sha256: string;
  @Column({ type: 'text' }) outcome: CallOutcome;
  /** Of a failure. */
  @Column({ type: 'text', nullable: true }) code: string | null;
  @Column({ type: 'double precision', nullable: true }) duration_ms: number | null;
  /** Hash of the token by which a Python tool asks the engine for HTTP; it is worth nothing once the call has ended. */
  @Column({ type: 'text', nullable: true }) callback_sha256: string | null;
  /** How often it asked. */
  @Column({ type: 'integer', default: 0 }) callbacks: number;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
  @Column({ type: 'timestamptz', nullable: true }) finished_at: Date | null;
}
