import { newId } from '#libs/contracts';
import { Database } from '#libs/database';
import { Journal, listEvents, timeline, type EventQuery, type EventSummary, type TimelineEntry } from '#libs/journal';
import { notFound, type Principal, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { decide } from '../routing/decide.js';
import type { MessageRow } from '../routing/message.entity.js';
import { planMessage } from '../routing/plan.js';
import { ProjectRules } from '../routing/project-rules.js';
import { RoutingRepository } from '../routing/routing.repository.js';
import type { RunRow } from '../runs/run.entity.js';
import { RunRepository } from '../runs/run.repository.js';
import { TurnsService } from '../turns/turns.service.js';

export const ingressClient = Symbol('ingressClient');

export interface EventDetail {
  id: string;
  app_id: string | null;
  outcome: string | null;
  reason: string | null;
  timeline: TimelineEntry[];
  messages: MessageRow[];
  runs: RunRow[];
}

/** Events as people see them: the timeline, and replay. */
@Injectable()
export class EventsService {
  constructor(
    @Inject(Database) private readonly db: Database,
    @Inject(RoutingRepository) private readonly routing: RoutingRepository,
    @Inject(RunRepository) private readonly runs: RunRepository,
    @Inject(ProjectRules) private readonly rules: ProjectRules,
    @Inject(TurnsService) private readonly turns: TurnsService,
    @Inject(Journal) private readonly journal: Journal,
    @Inject(ingressClient) private readonly ingress: ServiceClient,
  ) {}

  list(query: EventQuery): Promise<EventSummary[]> {
    return listEvents(this.db, query);
  }

  async get(caller: Principal, id: string): Promise<EventDetail> {
    const [entries, messages, runs] = await Promise.all([
      timeline(this.db, caller.organizationId, id),
      this.messagesOf(caller, id),
      this.runs.ofReceipt(caller.organizationId, id),
    ]);
    if (entries.length === 0 && messages.length === 0) throw notFound('event', id);
    const ended = entries.find((entry) => entry.terminal);
    return {
      id,
      app_id: messages[0]?.app_id ?? null,
      outcome: ended?.outcome ?? null,
      reason: ended?.reason ?? null,
      timeline: entries,
      messages,
      runs,
    };
  }

  /**
   * Routes an event again by today's rules; one that never became a message goes through the whole pipeline again.
   * @param deliver whether replies are sent again
   */
  async replay(
    caller: Principal,
    id: string,
    deliver: boolean,
  ): Promise<{ replayed: 'messages' | 'receipt'; run_ids: string[] }> {
    const messages = await this.messagesOf(caller, id);
    if (messages.length === 0) {
      await this.ingress.post(`/internal/receipts/${encodeURIComponent(id)}/wake`, caller, {});
      return { replayed: 'receipt', run_ids: [] };
    }
    const rules = await this.rules.of(caller.projectId);
    const plans = messages.map((row) =>
      planMessage(row, row.message, decide(row.app_id, row.message, rules), {
        messageId: row.id,
        dedupKey: newId('msg'),
        verified: row.verified,
        replay: true,
        deliver,
      }),
    );
    await this.routing.commitReplay(plans);
    this.turns.wake(plans.flatMap((plan) => plan.turns).filter((turn) => turn.state === 'open'));
    for (const { message } of plans) {
      this.journal.append({
        receipt_id: message.receipt_id,
        organization_id: message.organization_id,
        project_id: message.project_id,
        app_id: message.app_id,
        stage: 'routed',
        outcome: 'replayed',
        reason: deliver ? 'with_delivery' : 'without_delivery',
        subject_id: message.id,
        detail: { by: caller.subject },
      });
    }
    return { replayed: 'messages', run_ids: plans.flatMap((plan) => plan.runs.map((run) => run.id)) };
  }

  private async messagesOf(caller: Principal, receiptId: string): Promise<MessageRow[]> {
    const rows = await this.routing.messagesOf([receiptId]);
    return rows.filter((row) => row.organization_id === caller.organizationId && row.project_id === caller.projectId);
  }
}
