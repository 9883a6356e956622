import {
  agentCallersOf,
  type AgentRequest,
  type AgentRequested,
  columnsOf,
  newId,
  type ProjectScope,
} from '#libs/contracts';
import { Database } from '#libs/database';
import { idempotencyKeyReused, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { type Packed, type StoredMessage, unpacked } from '../../entities/message.entity.js';
import { targetOf, turnOf, type WholeTurn } from '../../path/handover/turn-handover.service.js';
import { type Draft, newDraft } from '../../path/routing/draft.js';
import { turnsOf } from '../../path/routing/plan.js';
import { RoutingService } from '../../path/routing/routing.service.js';

/**
 * What others ask of published agents: messages like any other, whose sender is the caller. So contacts, limits, trust,
 * timeline and erasure are those of every message.
 */
@Injectable()
export class AgentRequests {
  constructor(
    private readonly routing: RoutingService,
    private readonly db: Database,
  ) {}

  /**
   * Takes it once, however often the caller repeats its message.
   * @throws Problem 422 `idempotency_key_reused` for another text under the same message; 409 `message_gone`
   */
  async take(scope: ProjectScope, asked: AgentRequest): Promise<AgentRequested<WholeTurn>> {
    const draft = draftOf(scope, asked);
    const [routed] = await this.routing.commit([draft]);
    if (!routed) throw new Error('a draft was neither routed nor claimed before');
    if ('claimed' in routed) return this.repeated(scope, routed.claimed.message_id, draft);
    const { message } = routed.plan;
    const [turn = null] = turnsOf([routed.plan]);
    const refusal = turn ? null : (message.reason ?? message.outcome);
    return { receipt_id: message.receipt_id, turn, refusal, repeated: false };
  }

  private async repeated(scope: ProjectScope, messageId: string, draft: Draft): Promise<AgentRequested<WholeTurn>> {
    const [stored] = (await this.db.query(
      'SELECT * FROM router.message WHERE id = $1 AND organization_id = $2 AND project_id = $3',
      [messageId, scope.organizationId, scope.projectId],
    )) as Packed<StoredMessage>[];
    if (!stored)
      throw new Problem(409, 'message_gone', 'What became of this message is no longer kept: send a new one.');
    const row = unpacked(stored);
    if (row.message.message !== draft.message.message) throw idempotencyKeyReused();
    const [target] = row.turns;
    const refusal = target ? null : (row.reason ?? row.outcome);
    return { receipt_id: row.receipt_id, turn: target ? turnOf(row, targetOf(target)) : null, refusal, repeated: true };
  }
}

function draftOf(scope: ProjectScope, asked: AgentRequest): Draft {
  const { agent_id, caller, text, message_id, context_id, protocol } = asked;
  const now = new Date().toISOString();
  const job = {
    receipt_id: newId('evt'),
    ...columnsOf(scope),
    app_id: agentCallersOf(scope.projectId),
    app_kind: 'adapter' as const,
    received_at: now,
    verified_scheme: 'api_key',
    app_sends: false,
  };
  const accepted = { stage: 'received' as const, outcome: 'accepted' as const, reason: null, attempt: 1 };
  const received = { ...accepted, at: now, duration_ms: null, detail: { by: caller, protocol, agent_id } };
  const draft = newDraft(
    job,
    {
      event_type: 'agent_request',
      sender: caller,
      message: text,
      is_bot: false,
      is_dm: true,
      // A context is the caller's own: what another one calls the same is another conversation.
      thread_id: `${caller} ${context_id}`,
      metadata: { agent_id, protocol, message_id, context_id },
    },
    0,
    { job: { ...job, entries: [received] }, attempt: 1, startedMs: performance.now(), messages: 1, from: 'router' },
  );
  return {
    ...draft,
    dedupKey: `asked:${digestOf([agent_id, caller, message_id])}`,
    startedBy: asked.started_by,
    agentId: agent_id,
    place: null,
    durable: true,
  };
}

/** Any text of a caller's fits a key. */
function digestOf(parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
