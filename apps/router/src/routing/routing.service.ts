import { Batcher } from '#libs/batching';
import type { MessageRoutePayload, NormalizedMessage } from '#libs/contracts';
import { isRefusedRow } from '#libs/database';
import { Journal } from '#libs/journal';
import { Metrics, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { RouterSettings } from '../env.js';
import { loopAdvice } from '../guards/loop-advice.js';
import { routerSettings } from '../settings.js';
import { TurnsService } from '../turns/turns.service.js';
import { RoutingAgain } from './again.service.js';
import type { Draft } from './draft.js';
import type { Ruled } from './judge-batch.js';
import type { MessageRow } from './message.entity.js';
import { newDraft } from './new-draft.js';
import { openTurns } from './plan.js';
import { ProjectRules } from './project-rules.js';
import { withheldAdvice } from './reply.js';
import { type Routed, RoutingRepository } from './routing.repository.js';
import { MissingForTriggers, requireForTriggers } from './trigger-mode.js';

const shownVerdicts = 20;

export const gatewayClient = Symbol('gatewayClient');

/** Claims, decides and commits messages; what arrives together is committed together. */
@Injectable()
export class RoutingService {
  private readonly logger = new Logger('routing');
  private readonly commits: Batcher<Ruled[], Routed[]>;

  constructor(
    @Inject(RoutingRepository) private readonly repository: RoutingRepository,
    @Inject(ProjectRules) private readonly rules: ProjectRules,
    @Inject(TurnsService) private readonly turns: TurnsService,
    @Inject(RoutingAgain) private readonly again: RoutingAgain,
    @Inject(Journal) private readonly journal: Journal,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(gatewayClient) private readonly gateway: ServiceClient,
    @Inject(routerSettings) settings: RouterSettings,
  ) {
    this.commits = new Batcher((batch) => this.commitAll(batch), {
      maxItems: settings.ROUTE_BATCH,
      maxWaitMs: 0,
      maxRunning: 2,
      failsByItem: isRefusedRow,
    });
  }

  /** Routes the messages of one receipt; run twice, it changes nothing and says the same. */
  async route(job: MessageRoutePayload, attempt: number): Promise<void> {
    const startMs = performance.now();
    const messages = job.messages ?? (await this.readMessages(job));
    await this.requireFields(job, messages);
    const drafts = messages.map((message, index) => newDraft(job, message, index));
    const routed = await this.commit(drafts);
    const outcome = await this.outcomeOf(job, routed);
    this.journal.append({
      receipt_id: job.receipt_id,
      organization_id: job.organization_id,
      project_id: job.project_id,
      app_id: job.app_id,
      stage: 'routed',
      ...outcome,
      attempt,
      duration_ms: performance.now() - startMs,
    });
    this.metrics.hopSeconds.observe(
      { stage: 'routed', outcome: outcome.outcome },
      (performance.now() - startMs) / 1000,
    );
  }

  /** Commits drafts of one project, together with what else arrives, and wakes the engine. */
  async commit(drafts: Draft[]): Promise<Routed[]> {
    const named = drafts.flatMap(({ workflowId }) => workflowId ?? []);
    const rules = await this.rules.of(drafts[0]?.project_id ?? '', named);
    const routed = await this.commits.add(drafts.map((draft) => ({ draft, rules })));
    this.turns.wake(routed.flatMap((each) => ('plan' in each ? openTurns([each.plan]) : [])));
    this.again.tell(
      routed.flatMap((each) => ('plan' in each ? each.continued : [])),
      'pairing',
      'released',
    );
    return routed;
  }

  private async commitAll(batch: Ruled[][]): Promise<Routed[][]> {
    const results = await this.repository.commit(batch.flat());
    let taken = 0;
    return batch.map((drafts) => results.slice(taken, (taken += drafts.length)));
  }

  /** One outcome for the receipt: routed when any of its messages was; a repetition says what was said at first. */
  private async outcomeOf(
    job: MessageRoutePayload,
    routed: Routed[],
  ): Promise<Pick<Parameters<Journal['append']>[0], 'outcome' | 'reason' | 'subject_id' | 'detail'>> {
    const claims = routed.flatMap((each) => ('claimed' in each ? [each.claimed] : []));
    const again = claims.some((claim) => claim.receipt_id === job.receipt_id);
    const earlier = again ? await this.repository.messagesOf([job.receipt_id]) : [];
    const messages: MessageRow[] = [
      ...routed.flatMap((each) => ('plan' in each ? [each.plan.message] : [])),
      ...earlier,
    ];
    const told = messages.find((message) => message.outcome === 'routed') ?? messages[0];
    if (!told) {
      const [first] = claims;
      return {
        outcome: 'duplicate',
        reason: `of ${first?.receipt_id}`,
        subject_id: first?.message_id ?? null,
        detail: null,
      };
    }
    const { event_type, sender } = told.message;
    // All of them stand in the message's row; with hundreds of triggers twice would be most of what a message costs.
    const verdicts = told.verdicts.filter(({ verdict }) => verdict !== 'filtered').slice(0, shownVerdicts);
    return {
      outcome: told.outcome as 'routed',
      reason: told.reason,
      subject_id: told.id,
      detail: { event_type, sender: sender.slice(0, 200), verdicts, messages: routed.length, ...explained(told) },
    };
  }

  /** @throws MissingForTriggers, which the adapter's page shows too */
  private async requireFields(job: MessageRoutePayload, messages: NormalizedMessage[]): Promise<void> {
    if (messages.every(({ missing }) => missing === undefined)) return;
    const rules = await this.rules.of(job.project_id);
    try {
      requireForTriggers(job, messages, rules);
    } catch (error) {
      if (error instanceof MissingForTriggers) await this.showOnAdapter(job, error.message);
      throw error;
    }
  }

  private async showOnAdapter(job: MessageRoutePayload, violation: string): Promise<void> {
    const scope = { organizationId: job.organization_id, projectId: job.project_id };
    try {
      await this.gateway.post(`/internal/apps/${job.app_id}/contract-violations`, scope, { violation });
    } catch (error) {
      // The timeline says it all the same.
      this.logger.warn({ event: 'contract_violation.not_shown', app: job.app_id, violation, error: String(error) });
    }
  }

  private async readMessages(job: MessageRoutePayload): Promise<NormalizedMessage[]> {
    const { messages } = await this.gateway.get<{ messages: NormalizedMessage[] }>(
      `/internal/parsed-messages/${job.receipt_id}`,
      { organizationId: job.organization_id, projectId: job.project_id },
    );
    return messages;
  }
}

/** What a person has to know beside the outcome: what was kept back, why, and what to do. */
function explained({ chief_of_staff, reply_withheld, reason, outcome, message }: MessageRow): Record<string, unknown> {
  const isKept = chief_of_staff !== null && chief_of_staff !== 'taken' && chief_of_staff !== 'off';
  return {
    ...(isKept ? { chief_of_staff: `kept_from: ${chief_of_staff}` } : {}),
    ...(reply_withheld ? { reply_withheld, advice: withheldAdvice[reply_withheld] } : {}),
    ...(outcome === 'loop_paused' ? { advice: loopAdvice(reason) } : {}),
    ...(message.origin ? { came_by: message.origin } : {}),
  };
}
