import { Batcher } from '#libs/batching';
import { type MessageRoutePayload, type NormalizedMessage, scopeOf } from '#libs/contracts';
import { isRefusedRow, type Queryable } from '#libs/database';
import { HeldProjects, Journal } from '#libs/journal';
import { JobClient } from '#libs/queue';
import { Metrics, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { GATEWAY, type RouterSettings, SETTINGS } from '../../env.js';
import { packedRows } from '../../entities/message.entity.js';
import { storedTarget, TurnHandover } from '../handover/turn-handover.service.js';
import {
  arrivalEntries,
  entriesOfParsing,
  replayedEntry,
  routedEntry,
  factsOfRow,
  standsFor,
} from './arrival-entries.js';
import { type Arrival, type Draft, draftOf, newDraft } from './draft.js';
import { EventWaits } from './event-waits.js';
import { missingForTriggers } from './evaluate-triggers.js';
import { Planner, type Ruled } from './planner.js';
import { type Plan, turnsOf } from './plan.js';
import { ProjectRules, type Rules } from '../rules/project-rules.js';
import { type Claimed, type NewRows, type Release, RoutingStore } from './routing.store.js';

/** The result for a draft: its plan, or who had claimed its key earlier. */
export type Routed = { plan: Plan; continued: Plan[] } | { claimed: Claimed };

/** Claims, decides and commits messages; what arrives together is committed together. */
@Injectable()
export class RoutingService {
  private readonly logger = new Logger('routing');
  private readonly commits: Batcher<Ruled[], Routed[]>;

  constructor(
    private readonly store: RoutingStore,
    private readonly planner: Planner,
    private readonly rules: ProjectRules,
    private readonly handover: TurnHandover,
    private readonly waits: EventWaits,
    private readonly journal: Journal,
    private readonly jobs: JobClient,
    private readonly metrics: Metrics,
    private readonly holds: HeldProjects,
    @Inject(GATEWAY) private readonly gateway: ServiceClient,
    @Inject(SETTINGS) private readonly settings: RouterSettings,
  ) {
    this.commits = new Batcher((batch) => this.commitAll(batch), {
      maxItems: settings.ROUTE_BATCH,
      maxWaitMs: 0,
      maxRunning: 2,
      failsByItem: isRefusedRow,
    });
  }

  /** Routes the messages of one receipt; run twice, it changes nothing. */
  async route(job: MessageRoutePayload, attempt: number): Promise<void> {
    const startedMs = performance.now();
    const messages = job.messages ?? (await this.readMessages(job));
    await this.requireFields(job, messages);
    // Routed here as well as where its project goes, it would be done twice. The receipt has not ended: it is handed on.
    // Asked last: reading the messages may have taken longer than others wait until everybody has heard of a hold.
    if (await this.holds.find(job.project_id)) return this.jobs.order.leave(job.app_id, job.receipt_id);
    const arrival: Arrival = { job, attempt, startedMs, messages: messages.length };
    const drafts = messages.map((message, index) => newDraft(job, message, index, arrival));
    const routed = await this.commit(drafts, job.custody?.surplus);
    const planned = routed.flatMap((each) => ('plan' in each ? [each.plan] : []));
    // New messages are already recorded, by the statement that committed them.
    const outcome = planned.length > 0 ? standsFor(planned).message.outcome : this.recordDuplicate(arrival, routed);
    this.metrics.hopSeconds.observe({ stage: 'routed', outcome }, (performance.now() - startedMs) / 1000);
  }

  /**
   * Commits drafts of one project with whatever else arrives, and enqueues the turns. @param surplus as in their job
   */
  async commit(drafts: Draft[], surplus?: true): Promise<Routed[]> {
    const named = drafts.flatMap(({ workflowId }) => workflowId ?? []);
    const rules = await this.rules.of(drafts[0]?.project_id ?? '', named);
    const routed = await this.commits.add(drafts.map((draft) => ({ draft, rules })));
    this.keepPlaces(drafts, routed);
    const turns = routed.flatMap((each) => ('plan' in each ? turnsOf([each.plan]) : []));
    this.handover.enqueue(surplus ? turns.map((turn) => ({ ...turn, custody: { surplus } })) : turns);
    this.waits.decided(routed.flatMap((each) => ('plan' in each ? [each.plan] : [])));
    this.enqueueRerouted(
      routed.flatMap((each) => ('plan' in each ? each.continued : [])),
      'pairing',
      'released',
    );
    return routed;
  }

  /**
   * A message that starts a session's turn keeps its place until the engine has stored that; no turn waits for others.
   */
  private keepPlaces(drafts: Draft[], routed: Routed[]): void {
    const [first] = drafts;
    if (!first || first.place === null) return;
    const { app_id: appId, receipt_id: own } = first;
    const places = routed
      .flatMap((each) => ('plan' in each ? each.plan.turns : []))
      .flatMap(({ session }) => session?.place ?? []);
    for (const place of places) if (place !== own) this.jobs.order.enter(appId, place);
    // It was routed before, and its turn may still be in flight.
    const before = routed.some((each) => 'claimed' in each && each.claimed.receipt_id === own);
    if (!before && !places.includes(own)) this.jobs.order.leave(appId, own);
  }

  private async commitAll(batch: Ruled[][]): Promise<Routed[][]> {
    const results = await this.commitDrafts(batch.flat());
    let taken = 0;
    return batch.map((drafts) => results.slice(taken, (taken += drafts.length)));
  }

  /** Claims each draft's dedup key, and decides and stores those that won. */
  private async commitDrafts(batch: Ruled[]): Promise<Routed[]> {
    const drafts = batch.map(({ draft }) => draft);
    const durable = drafts.some((draft) => draft.durable);
    const alone = this.planner.alone(batch);
    const routed = alone
      ? await this.storeDecided(drafts, alone, durable)
      : await this.store.transaction((tx) => this.decideAndStore(tx, batch, durable));
    const plans = routed.flatMap((each) => ('plan' in each ? [each.plan] : []));
    for (const { entry } of arrivalEntries(plans)) {
      for (const each of [...(entry.before ?? []), entry]) this.journal.noted(each);
    }
    return routed;
  }

  private async storeDecided(drafts: Draft[], plans: Plan[], durable: boolean): Promise<Routed[]> {
    const claims = await this.store.claimAndInsert(drafts, this.rowsOf(plans), durable);
    return plans.map((plan, index) => {
      const claimed = claims[index];
      return claimed ? { claimed } : { plan, continued: [] };
    });
  }

  private async decideAndStore(tx: Queryable, batch: Ruled[], durable: boolean): Promise<Routed[]> {
    const claims = await this.store.claim(
      tx,
      batch.map(({ draft }) => draft),
    );
    const plans = await this.planner.within(
      tx,
      batch.filter((_ruled, index) => claims[index] === null),
    );
    // Runs go on by what is stored here, in another service.
    const decides = plans.some(({ continued }) => continued.length > 0);
    await this.store.insert(tx, this.rowsOf(plans), durable || decides);
    const routed: Routed[] = [];
    const left = plans.values();
    for (const [index, { rules }] of batch.entries()) {
      const claimed = claims[index];
      if (claimed) routed.push({ claimed });
      else {
        const plan = left.next().value as Plan;
        routed.push({ plan, continued: await this.continuePaired(tx, plan, rules) });
      }
    }
    return routed;
  }

  /** Routes the held messages of a sender that has just paired. */
  private async continuePaired(tx: Queryable, { draft, senderContext, decision }: Plan, rules: Rules): Promise<Plan[]> {
    if (decision.reason !== 'paired' || !senderContext) return [];
    const messageIds = await this.store.heldOf(tx, senderContext);
    const { organization_id: organizationId, project_id: projectId } = draft;
    return this.releaseIn(tx, { messageIds, organizationId, projectId, by: 'pairing' }, rules);
  }

  /** Routes kept messages, each once. One that nothing takes stays kept. */
  async releaseIn(tx: Queryable, which: Release, rules: Rules): Promise<Plan[]> {
    const released = await this.store.release(tx, which);
    const plans = await this.reroute(
      tx,
      released.map((row) => ({ rules, draft: draftOf(row, { replay: false, deliver: true, startedBy: null }) })),
    );
    const [taken, left] = [true, false].map((is) =>
      plans.filter((plan) => is === (plan.decision.outcome === 'routed')),
    );
    await this.store.keep(
      tx,
      (left ?? []).map(({ message }) => message.id),
    );
    return taken ?? [];
  }

  /** Routes stored messages again, within the transaction that whoever asked for it began. */
  async reroute(tx: Queryable, batch: Ruled[]): Promise<Plan[]> {
    const plans = await this.planner.within(tx, batch);
    await this.handover.keep(tx, turnsOf(plans));
    return plans;
  }

  /** Enqueues the committed turns of what was routed again, and records that in the timelines. */
  enqueueRerouted(plans: Plan[], by: string, reason: string, rehearsal = false): void {
    this.handover.enqueue(turnsOf(plans));
    this.waits.decided(plans);
    for (const plan of plans) this.journal.append(replayedEntry(plan, by, reason, rehearsal));
  }

  private rowsOf(plans: Plan[]): NewRows {
    const entries = arrivalEntries(plans).map(({ entry, message }) => {
      const own = factsOfRow(entry, message);
      return { entry, id: message.id, inRow: own && this.journal.inRow(entry, own) };
    });
    const inRows = new Map(entries.map(({ id, inRow }) => [id, inRow] as const).filter(([, inRow]) => inRow !== null));
    const rows = plans.map(({ message, turns }) => {
      return { ...message, turns: turns.map(storedTarget), entry: inRows.get(message.id) ?? null };
    });
    return {
      messages: packedRows(rows, this.settings.MESSAGE_PACK_BYTES),
      entries: entries.flatMap(({ entry, id, inRow }) => (inRow ? [] : [this.journal.row(entry, id)])),
    };
  }

  /** Nothing of the receipt is new: it is a duplicate of another receipt, or was routed and recorded before. */
  private recordDuplicate(arrival: Arrival, routed: Routed[]): 'duplicate' {
    const claims = routed.flatMap((each) => ('claimed' in each ? [each.claimed] : []));
    const [first] = claims;
    if (!first || claims.some(({ receipt_id }) => receipt_id === arrival.job.receipt_id)) return 'duplicate';
    const { receipt_id, message_id: subject_id } = first;
    const outcome = { outcome: 'duplicate', reason: `of ${receipt_id}`, subject_id, detail: null } as const;
    for (const entry of [...entriesOfParsing(arrival), routedEntry(arrival, outcome)]) this.journal.append(entry);
    return 'duplicate';
  }

  /** What triggers lack is shown on the adapter's page. @throws MissingForTriggers where only triggers get messages */
  private async requireFields(job: MessageRoutePayload, messages: NormalizedMessage[]): Promise<void> {
    if (messages.every(({ missing }) => missing === undefined)) return;
    const rules = await this.rules.of(job.project_id);
    const violation = missingForTriggers(job, messages, rules);
    if (!violation) return;
    await this.showOnAdapter(job, violation.message);
    // By any other policy the Chief of Staff gets it; its verdicts say that triggers could not be asked.
    if (rules.channels.get(job.app_id)?.route_policy === 'triggers') throw violation;
  }

  private async showOnAdapter(job: MessageRoutePayload, violation: string): Promise<void> {
    const scope = scopeOf(job);
    try {
      await this.gateway.post(`/internal/apps/${job.app_id}/contract-violations`, scope, { violation });
    } catch (error) {
      // The timeline says it anyway.
      this.logger.warn({ event: 'contract_violation.not_shown', app: job.app_id, violation, error: String(error) });
    }
  }

  private async readMessages(job: MessageRoutePayload): Promise<NormalizedMessage[]> {
    const { messages } = await this.gateway.get<{ messages: NormalizedMessage[] }>(
      `/internal/parsed-messages/${job.receipt_id}`,
      scopeOf(job),
    );
    return messages;
  }
}
