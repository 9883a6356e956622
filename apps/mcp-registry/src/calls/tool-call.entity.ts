import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * The record of one call of an MCP tool, or of a tool that a person tried. It holds no arguments and no result, which
 * may contain anything.
 */
@Entity({ schema: 'registry', name: 'tool_call' })
@Index('tool_call_by_project', ['project_id', 'id'])
@Index('tool_call_at', ['at'])
export class ToolCall {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'tool_call_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  /** Null for a Python tool, which only a person's try records. */
  @Column({ type: 'text', nullable: true }) server_id: string | null;
  @Column({ type: 'text' }) tool_id: string;
  @Column({ type: 'text' }) tool_name: string;
  @Column({ type: 'text' }) pin: string;
  /** The caller's own id for the call. */
  @Column({ type: 'text' }) call_id: string;
  @Column({ type: 'text' }) caller: string;
  @Column({ type: 'text' }) arguments_sha256: string;
  /** `ok`, `tool_error` (the tool reported a failure), or an error code. */
  @Column({ type: 'text' }) outcome: string;
  @Column({ type: 'integer' }) result_bytes: number;
  @Column({ type: 'boolean' }) truncated: boolean;
  @Column({ type: 'double precision' }) duration_ms: number;
  @Column({ type: 'timestamptz' }) at: Date;
}
