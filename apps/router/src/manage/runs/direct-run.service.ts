import { columnsOf, newId, type NormalizedMessage, type TextFrom } from '#libs/contracts';
import { Database } from '#libs/database';
import { Journal } from '#libs/journal';
import { askerOf, idempotencyKeyReused, notFound, type Principal, Problem } from '#libs/service-kit';
import type { RunDetailView } from '#libs/views';
import { Inject, Injectable } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { type RouterSettings, SETTINGS } from '../../env.js';
import { newDraft } from '../../path/routing/draft.js';
import { type Packed, type StoredMessage, unpacked } from '../../entities/message.entity.js';
import { runIdsOf, turnsOf } from '../../path/routing/plan.js';
import { RoutingService } from '../../path/routing/routing.service.js';
import { EngineRuns } from '../../path/handover/engine-runs.js';
import { targetOf, turnOf } from '../../path/handover/turn-handover.service.js';
import { WorkflowRepository } from '../workflows/workflow.repository.js';

const askEveryMs = 100;
const ended = new Set<string>(['succeeded', 'failed', 'cancelled', 'timed_out']);

export interface DirectRun {
  runId: string;
  /** True when the key had already made this run. */
  repeated: boolean;
}

/** Runs that an API caller starts: a message like any other, without an App. */
@Injectable()
export class DirectRunService {
  constructor(
    private readonly routing: RoutingService,
    private readonly workflows: WorkflowRepository,
    private readonly runs: EngineRuns,
    private readonly journal: Journal,
    private readonly db: Database,
    @Inject(SETTINGS) private readonly settings: RouterSettings,
  ) {}

  /**
   * @param key the caller's Idempotency-Key: the same key gives the same run, for as long as claims are kept
   * @throws Problem 404; 409 `workflow_off`; 422 `idempotency_key_reused` for another request under the same key
   */
  async start(
    caller: Principal,
    workflowId: number,
    given: Pick<NormalizedMessage, 'message'> & Partial<Pick<NormalizedMessage, 'event_type' | 'metadata'>>,
    textFrom: TextFrom,
    key: string | null,
  ): Promise<DirectRun> {
    const workflow = await this.workflows.find(caller.projectId, workflowId);
    if (workflow?.organization_id !== caller.organizationId) throw notFound('workflow', workflowId);
    if (workflow.status === 'off') throw new Problem(409, 'workflow_off', `The workflow ${workflowId} is off.`);
    const receiptId = newId('evt');
    const subject = {
      receipt_id: receiptId,
      ...columnsOf(caller),
      // A namespace of its own among the claims: keys of other projects and of Apps differ from it.
      app_id: `api:${caller.projectId}`,
    };
    const draft = newDraft(
      {
        ...subject,
        app_kind: 'builtin',
        received_at: new Date().toISOString(),
        verified_scheme: 'api_key',
        text_from: textFrom,
      },
      { event_type: 'api_call', ...given, sender: caller.subject, is_bot: false, workflow_id: workflowId },
      0,
    );
    const [routed] = await this.routing.commit([
      { ...draft, durable: true, startedBy: askerOf(caller), dedupKey: key === null ? draft.dedupKey : `key:${key}` },
    ]);
    if (!routed) throw new Error('a draft was neither routed nor claimed before');
    if ('claimed' in routed) return this.repeated(caller, routed.claimed.message_id, draft.message, textFrom);
    const [run] = runIdsOf([routed.plan]);
    if (run === undefined) throw new Problem(409, 'workflow_off', `The workflow ${workflowId} is off.`);
    const entry = { ...subject, subject_id: routed.plan.message.id, detail: { by: caller.subject } };
    this.journal.append({ ...entry, stage: 'received', outcome: 'accepted' });
    this.journal.append({ ...entry, stage: 'routed', outcome: 'routed' });
    // Its job is enqueued as well; accepting it now lets the caller get the run.
    await this.runs.accept(caller, turnsOf([routed.plan]));
    return { runId: run, repeated: false };
  }

  /** The run as it is when it ends, after `seconds`, or after the longest wait allowed. */
  async settled(caller: Principal, runId: string, seconds: number): Promise<RunDetailView> {
    const untilMs = Date.now() + Math.min(seconds, this.settings.RUN_WAIT_MAX_S) * 1_000;
    let now = await this.runs.get(caller, runId);
    while (!ended.has(now.state) && Date.now() < untilMs) {
      await pause(askEveryMs);
      now = await this.runs.get(caller, runId);
    }
    return now;
  }

  private async repeated(
    caller: Principal,
    messageId: string,
    asked: NormalizedMessage,
    textFrom: TextFrom,
  ): Promise<DirectRun> {
    const [stored] = (await this.db.query('SELECT * FROM router.message WHERE id = $1 AND project_id = $2', [
      messageId,
      caller.projectId,
    ])) as Packed<StoredMessage>[];
    const row = stored && unpacked(stored);
    const [turn] = row?.turns ?? [];
    if (!row || !turn?.run) throw new Problem(409, 'run_gone', 'The run of this Idempotency-Key is no longer kept.');
    const same =
      row.text_from === textFrom &&
      row.message.workflow_id === asked.workflow_id &&
      row.message.message === asked.message &&
      row.message.event_type === asked.event_type &&
      canonical(row.message.metadata) === canonical(asked.metadata);
    if (!same) throw idempotencyKeyReused();
    // Its creator may not have come this far yet.
    await this.runs.accept(caller, [turnOf(row, targetOf(turn))]);
    return { runId: turn.run.id, repeated: true };
  }
}

/** jsonb does not keep the order of keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value ?? null, (_key, entry: unknown) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)))
      : entry,
  );
}
