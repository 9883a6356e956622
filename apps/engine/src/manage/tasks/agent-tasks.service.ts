import { type AgentRequest, type AgentRequested, columnsOf, derivedId, type TurnRunPayload } from '#libs/contracts';
import { askerOf, notFound, type Principal, Problem, ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { TurnRepository } from '../../path/turns/turn.repository.js';
import { PublicationRepository } from '../publications/publication.repository.js';
import { TurnCancellation } from '../turns/turn-cancellation.service.js';
import { isEnded, type TaskRecord, TaskRepository } from './task.repository.js';

/** What somebody asks a published agent. */
export interface Asked extends Pick<AgentRequest, 'protocol' | 'text'> {
  agentId: string;
  /** The caller's name for the message: with the same one it is the same task. */
  messageId: string;
  /** The caller's name for the conversation that it belongs to; null: it begins one. */
  contextId: string | null;
}

/** Takes what callers ask published agents, over whichever protocol. */
@Injectable()
export class AgentTasks {
  constructor(
    private readonly publications: PublicationRepository,
    private readonly tasks: TaskRepository,
    private readonly turns: TurnRepository,
    private readonly cancellation: TurnCancellation,
    private readonly router: ServiceClient,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /**
   * Resolves once its turn is on disk, and so will be answered. Whoever heard nothing repeats the message: each step here
   * gives the same again, and none of them begins a second turn.
   * @throws Problem 404 `agent_not_found`; 422 `message_too_long`, `empty_message`, `idempotency_key_reused`; 503
   */
  async ask(caller: Principal, { agentId, text, messageId, contextId, protocol }: Asked): Promise<TaskRecord> {
    if (!(await this.publications.find(caller, agentId))) throw notFound('agent', agentId);
    this.requireText(text);
    const context = contextId ?? contextOf(caller, agentId, messageId);
    const { receipt_id, turn, refusal } = await this.router.post<AgentRequested<TurnRunPayload>>(
      '/internal/agent-requests',
      caller,
      {
        agent_id: agentId,
        caller: caller.subject,
        started_by: askerOf(caller),
        text,
        message_id: messageId,
        context_id: context,
        protocol,
      } satisfies AgentRequest,
    );
    // Its job is enqueued as well; stored now, the caller can ask for it.
    if (turn) await this.turns.accept([turn]);
    const id = derivedId('tsk', receipt_id, 'task');
    await this.tasks.add({
      id,
      ...columnsOf(caller),
      agent_id: agentId,
      caller: caller.subject,
      protocol,
      context_id: context,
      message_id: messageId,
      receipt_id,
      turn_id: turn?.turn_id ?? null,
      refusal,
    });
    return this.get(caller, id);
  }

  /** @throws Problem 404 `task_not_found`, also for another caller's */
  async get(caller: Principal, id: string): Promise<TaskRecord> {
    const task = await this.tasks.find(caller, id);
    if (!task) throw notFound('task', id);
    return task;
  }

  /** @throws Problem 404; 409 `task_ended` */
  async cancel(caller: Principal, id: string): Promise<TaskRecord> {
    const task = await this.get(caller, id);
    const { organizationId, projectId } = caller;
    const turn = task.turn_id === null ? null : await this.turns.find(organizationId, projectId, task.turn_id);
    if (isEnded(task) || !turn || !(await this.cancellation.cancel(turn))) {
      throw new Problem(409, 'task_ended', `The task has already ended: it is ${(await this.get(caller, id)).status}.`);
    }
    return this.get(caller, id);
  }

  private requireText(text: string): void {
    const { TASK_MESSAGE_CHARS: most } = this.settings;
    if (text.trim() === '') throw new Problem(422, 'empty_message', 'The message has no text: say what you want.');
    if (text.length <= most) return;
    const detail = `The message has ${text.length} characters, and ${most} are taken (TASK_MESSAGE_CHARS): send less.`;
    throw new Problem(422, 'message_too_long', detail);
  }
}

/** The same again when the message comes again. */
function contextOf({ projectId, subject }: Principal, agentId: string, messageId: string): string {
  const of = JSON.stringify([projectId, subject, agentId, messageId]);
  return `ctx_${createHash('sha256').update(of).digest('hex').slice(0, 32)}`;
}

const refusals: Readonly<Record<string, string>> = {
  blocked: 'The operator has blocked this caller.',
  daily_budget: 'As many messages were taken from this caller today as may be: try again tomorrow.',
  unsanitisable: 'The text could not be made safe to read: send plain text.',
};

/** For the caller: why its task stands as it does; null: there is nothing to say. No word of what is inside. */
export function wordsOf({ status, refusal, reason }: TaskRecord): string | null {
  if (status === 'rejected') return refusals[refusal ?? ''] ?? `It was refused: ${refusal}.`;
  if (status === 'input_required') {
    return 'A person here has to approve a step. Nothing is needed of you: the task goes on once that is decided.';
  }
  if (status === 'canceled') return 'It was cancelled.';
  if (status === 'failed')
    return `The agent could not answer${reason === null ? '' : ` (${reason})`}. Its operator sees why.`;
  return null;
}
