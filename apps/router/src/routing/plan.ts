import { type MessageRoutePayload, newId, type NormalizedMessage } from '#libs/contracts';
import type { RunRow } from '../runs/run.entity.js';
import type { TurnRow } from '../turns/turn.entity.js';
import type { Decision } from './decide.js';
import type { MessageRow } from './message.entity.js';

/** The rows that a decided message becomes. A session turn's epoch and state are settled when its session is locked. */
export interface Plan {
  message: MessageRow;
  dedupKey: string;
  decision: Decision;
  runs: RunRow[];
  turns: TurnRow[];
}

type Source = Pick<MessageRoutePayload, 'organization_id' | 'project_id' | 'app_id' | 'receipt_id'>;

/** @param options.replay true for a person's replay: its runs are marked, and nothing is delivered unless `deliver` */
export function planMessage(
  source: Source,
  message: NormalizedMessage,
  decision: Decision,
  options: { messageId: string; dedupKey: string; verified: boolean; replay: boolean; deliver: boolean },
): Plan {
  const now = new Date();
  const owner = {
    organization_id: source.organization_id,
    project_id: source.project_id,
    receipt_id: source.receipt_id,
  };
  const reply = options.deliver ? decision.reply : null;
  const turn = (part: Pick<TurnRow, 'run_id' | 'agent_id' | 'state'>, instructions: string | null): TurnRow => ({
    ...owner,
    ...part,
    id: newId('trn'),
    app_id: source.app_id,
    session_id: null,
    epoch: 0,
    input: { message, verified: options.verified, instructions, reply },
    error: null,
    woken_at: now,
    created_at: now,
    finished_at: null,
  });
  const runs = decision.runs.map(({ workflow, triggerId }): RunRow => ({
    ...owner,
    id: newId('run'),
    workflow_id: workflow.id,
    trigger_id: triggerId,
    message_id: options.messageId,
    replay: options.replay,
    state: workflow.status === 'suspended' ? 'suspended' : 'queued',
    error: null,
    created_at: now,
    finished_at: null,
  }));
  const turns = decision.runs.map(({ workflow }, index) =>
    turn(
      {
        run_id: runs[index]?.id ?? null,
        agent_id: workflow.agent_id,
        state: workflow.status === 'suspended' ? 'held' : 'open',
      },
      workflow.instructions,
    ),
  );
  if (decision.sessionKey)
    turns.push(turn({ run_id: null, agent_id: decision.sessionAgentId, state: 'waiting' }, null));
  return {
    dedupKey: options.dedupKey,
    decision,
    runs,
    turns,
    message: {
      ...owner,
      id: options.messageId,
      app_id: source.app_id,
      verified: options.verified,
      message,
      outcome: decision.outcome,
      reason: decision.reason,
      verdicts: decision.verdicts,
      created_at: now,
    },
  };
}
