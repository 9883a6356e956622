import type { AgentRequest } from '#libs/contracts';
import { WorkRow } from '#libs/work';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/** An agent that callers may ask over A2A and MCP, by choice of its project. Without a row nobody can, and nobody sees it. */
@Entity({ schema: 'engine', name: 'publication' })
@Unique('publication_name', ['project_id', 'name'])
export class Publication {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'publication_pkey' }) agent_id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  /** What a caller's model calls it: the tool is `ask_<name>`. */
  @Column({ type: 'text' }) name: string;
  /** For callers: what to ask it, and what it answers. */
  @Column({ type: 'text' }) description: string;
  @Column({ type: 'text', array: true, default: '{}' }) examples: string[];
  /** `key:<id>` or `user:<id>`. */
  @Column({ type: 'text' }) published_by: string;
  @Column({ type: 'timestamptz', default: () => 'now()' }) published_at: Date;
}

/** What a caller has asked a published agent. Its turn has the state, the question and the answer. */
@Entity({ schema: 'engine', name: 'agent_task' })
@Index('agent_task_caller', ['project_id', 'caller', 'id'])
@Index('agent_task_turn', ['turn_id'])
@Index('agent_task_age', ['created_at'])
export class AgentTask {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'agent_task_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) agent_id: string;
  /** `key:<id>` or `user:<id>`: only they see it. */
  @Column({ type: 'text' }) caller: string;
  @Column({ type: 'text' }) protocol: AgentRequest['protocol'];
  /** The caller's names for the conversation and the message. */
  @Column({ type: 'text' }) context_id: string;
  @Column({ type: 'text' }) message_id: string;
  @Column({ type: 'text' }) receipt_id: string;
  /** Null: the router has refused it. */
  @Column({ type: 'text', nullable: true }) turn_id: string | null;
  @Column({ type: 'text', nullable: true }) refusal: string | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}

/** Where a caller wants to hear of a task: work, which is due whenever the task's state is not the one that was reported. */
@Entity({ schema: 'engine', name: 'task_push' })
@Unique('task_push_name', ['task_id', 'name'])
@Index('task_push_due', ['due_at'], { where: `"state" IN ('queued', 'running')` })
export class TaskPush extends WorkRow<'queued' | 'running' | 'done' | 'dead'> {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'task_push_pkey' }) id: string;
  @Column({ type: 'text' }) task_id: string;
  /** The caller's own name for it, or its id. */
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'text' }) url: string;
  /** Token and credentials that the receiver expects, encrypted (JWE). Null: it expects none. */
  @Column({ type: 'text', nullable: true }) secrets: string | null;
  /** The state of the task that its receiver has. */
  @Column({ type: 'text', default: 'submitted' }) reported: string;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}
