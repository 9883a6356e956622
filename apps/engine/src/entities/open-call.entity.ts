import type { McpAnswers, McpQuestion } from '#libs/contracts';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/**
 * `asking`: the user is to be asked, `asked`: and was; `answered`: the answers are to be sent, `sending`: and may have
 * been; `task`: the server works on it; `ended`: it has a result, or waits no longer.
 */
export const openCallStates = ['asking', 'asked', 'answered', 'sending', 'task', 'ended'] as const;
export type OpenCallState = (typeof openCallStates)[number];

/**
 * A call of an MCP tool that has no result yet: its server asks the user for something first, or has made a task of it.
 * Its turn gives its lease back meanwhile. What was asked and answered is kept until the call has ended.
 */
@Entity({ schema: 'engine', name: 'open_call' })
@Unique('open_call_call', ['turn_id', 'call_ref'])
@Unique('open_call_token', ['token'])
@Index('open_call_open', ['project_id', 'id'], { where: 'ended_at IS NULL' })
export class OpenCall {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'open_call_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) agent_id: string;
  @Column({ type: 'text' }) turn_id: string;
  @Column({ type: 'text' }) receipt_id: string;
  @Column({ type: 'text' }) app_id: string;
  /** Which call of the turn: `<seq of the model's step>.<id of the call>`. */
  @Column({ type: 'text' }) call_ref: string;
  /** Who is asked, and nobody else; null: nobody can be. */
  @Column({ type: 'text', nullable: true }) contact_id: string | null;
  @Column({ type: 'text' }) tool: string;
  @Column({ type: 'text' }) tool_id: string;
  @Column({ type: 'text' }) tool_pin: string;
  @Column({ type: 'text' }) server_id: string;
  @Column({ type: 'text' }) server_name: string;
  @Column({ type: 'text' }) state: OpenCallState;
  /** How often the server has asked. */
  @Column({ type: 'integer' }) rounds: number;
  /** What it asks now, by its keys, in its order: `jsonb` would sort the fields of a form. */
  @Column({ type: 'json', nullable: true }) questions: Record<string, McpQuestion> | null;
  @Column({ type: 'jsonb', nullable: true }) answers: McpAnswers | null;
  /** What the server wants to get back with the answers, as it is. */
  @Column({ type: 'text', nullable: true }) request_state: string | null;
  @Column({ type: 'text', nullable: true }) task_id: string | null;
  /**
   * How often a task is looked at. After a try that failed: the pause before the next one, twice that before it. Null: it
   * is no task, and no try has failed.
   */
  @Column({ type: 'integer', nullable: true }) poll_ms: number | null;
  /** Keys of what a task has asked before: it may name them until it has the answers. */
  @Column({ type: 'text', array: true, default: '{}' }) seen: string[];
  /** Of the link by which the user answers. */
  @Column({ type: 'text', nullable: true }) token: string | null;
  @Column({ type: 'timestamptz' }) expires_at: Date;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
  @Column({ type: 'timestamptz', nullable: true }) ended_at: Date | null;
}
