import {
  attentionAtMost,
  type AttentionItem,
  eventAwaitedCode,
  type ProjectScope,
  wordsOfTurnReason,
} from '#libs/contracts';
import { Database } from '#libs/database';
import { latestEntries } from '#libs/journal';
import { Inject, Injectable } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { SpentBudgetRepository } from './spent-budget.repository.js';

/** Turns of a project that all wait for the same. */
interface WaitingTurns {
  reason: string;
  turns: number;
  /** Of the contacts that the turns name. */
  people: number;
  since: Date;
  next_at: Date | null;
  /** One of them, whose timeline has what was answered. */
  turn_id: string;
  receipt_id: string;
}

/** What a project's agents need a person for. */
@Injectable()
export class AttentionRepository {
  constructor(
    private readonly db: Database,
    private readonly budgets: SpentBudgetRepository,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  async of(scope: ProjectScope): Promise<AttentionItem[]> {
    return (await Promise.all([this.pending(scope), this.waiting(scope), this.budgets.of(scope)])).flat();
  }

  private async pending({ organizationId, projectId }: ProjectScope): Promise<AttentionItem[]> {
    const [pending] = (await this.db.query(
      `SELECT count(*)::integer AS count, min(created_at) AS since, min(expires_at) AS until FROM engine.approval
        WHERE organization_id = $1 AND project_id = $2 AND state = 'pending' AND expires_at > now()`,
      [organizationId, projectId],
    )) as { count: number; since: Date | null; until: Date | null }[];
    if (!pending || pending.count === 0) return [];
    const { count, since, until } = pending;
    return [
      {
        code: 'approvals_pending',
        severity: 'warning',
        text: `${count} tool ${count === 1 ? 'call waits' : 'calls wait'} for approval, the first until ${until?.toISOString()}.`,
        what_to_do: 'Approve or refuse each.',
        resource: { kind: 'approvals', id: null },
        count,
        since: since?.toISOString() ?? null,
        scope: 'agents:read',
      },
    ];
  }

  /** Turns that are tried again and again, since what they need is away, or since too many run already. */
  private async waiting({ organizationId, projectId }: ProjectScope): Promise<AttentionItem[]> {
    const groups = (await this.db.query(
      `SELECT reason, count(*)::integer AS turns, count(DISTINCT input ->> 'contact_id')::integer AS people,
              min(coalesce(blocked_since, created_at)) AS since, min(due_at) AS next_at,
              (array_agg(id ORDER BY id))[1] AS turn_id, (array_agg(receipt_id ORDER BY id))[1] AS receipt_id
         FROM engine.turn
        WHERE organization_id = $1 AND project_id = $2 AND state = 'queued' AND reason NOT IN ('agent_called', 'call_waits', '${eventAwaitedCode}') AND input -> 'trial' IS NULL
          AND coalesce(blocked_since, created_at) < now() - make_interval(secs => $3)
        GROUP BY reason ORDER BY turns DESC LIMIT $4`,
      [organizationId, projectId, this.settings.TURN_ATTENTION_MS / 1_000, attentionAtMost],
    )) as WaitingTurns[];
    const entries = await latestEntries(
      this.db,
      { organizationId, projectId },
      groups.map((group) => group.receipt_id),
    );
    return groups.map((group) => {
      const answered = entries.find((entry) => entry.subject_id === group.turn_id)?.detail?.['error'];
      return ofWaiting(group, typeof answered === 'string' ? answered : null);
    });
  }
}

/** @param answered what the model or service said to one of the turns */
function ofWaiting(
  { reason, turns, people, since, next_at: nextAt }: WaitingTurns,
  answered: string | null,
): AttentionItem {
  const many = `${turns} ${turns === 1 ? 'message' : 'messages'}`;
  const from = people === 0 ? '' : ` of ${people} ${people === 1 ? 'person' : 'people'}`;
  const why = wordsOfTurnReason(reason) ?? `The reason is ${reason}.`;
  const quote = answered === null ? '' : ` It said: ${answered.replace(/\.$/, '')}.`;
  const next = nextAt === null ? '' : ` The next attempt is at ${nextAt.toISOString()}.`;
  const isModel = reason.startsWith('model_');
  return {
    code: isModel ? 'model_away' : 'turns_wait',
    severity: isModel || reason === 'toolset_unavailable' ? 'error' : 'warning',
    text: `${many}${from} ${turns === 1 ? 'waits' : 'wait'} for an answer. ${why}${quote}${next}`,
    what_to_do: isModel
      ? 'Test the provider on the page Models, or choose another model for the agent. The messages are answered when it is back.'
      : 'See the timeline of one of the messages. They are answered as soon as they can be.',
    resource: { kind: isModel ? 'models' : 'messages', id: null },
    count: turns,
    since: since.toISOString(),
    scope: 'agents:read',
  };
}
