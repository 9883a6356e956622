import type { ToolGrade } from '#libs/contracts';
import type { GivenToken } from '../../entities/turn.entity.js';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A Python tool that a person is trying. The registry keeps the record of tries; this row ends with the call. */
@Entity({ schema: 'engine', name: 'python_try' })
@Index('python_try_expires', ['expires_at'])
export class PythonTry {
  /** Hash of the token with which the tool asks the engine for HTTP. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'python_try_pkey' }) callback_sha256: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) tool_id: string;
  @Column({ type: 'text' }) grade: ToolGrade;
  /** How many requests it has made. */
  @Column({ type: 'integer', default: 0 }) callbacks: number;
  /** The access tokens that the tool was given, as digests. */
  @Column({ type: 'jsonb', nullable: true }) tokens: GivenToken[] | null;
  /** The token is void after this time, even if its process died. */
  @Column({ type: 'timestamptz' }) expires_at: Date;
}
