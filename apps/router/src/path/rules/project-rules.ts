import { ChangeCache, ChangeListener, Database } from '#libs/database';
import { Inject, Injectable } from '@nestjs/common';
import { ChannelRow, TriggerRow, WorkflowRow } from '../../entities/rules.entity.js';
import { compileFilter, compileWaitCondition } from '#libs/expressions';
import type { WaitReads } from '#libs/contracts';
import { type RouterSettings, SETTINGS } from '../../env.js';

/** How long a change may be unknown here while changes are not heard. */
const unheardMs = 5_000;
const maxCached = 1_000;
const maxFilters = 10_000;

export interface ActiveTrigger extends TriggerRow {
  /** Null without a `where`. */
  compiled: ReturnType<typeof compileFilter> | null;
}

/** A step of a run that waits for an event. */
export interface OpenWait {
  id: string;
  turn_id: string;
  run_id: string;
  workflow_id: number;
  /** The message that began the run. */
  run_message_id: string | null;
  step: string;
  app_id: string | null;
  event_type: string | null;
  consume: boolean;
  given: WaitReads;
  /** Null without a condition. */
  compiled: ReturnType<typeof compileWaitCondition> | null;
}

/** The rules by which a project's messages are routed. */
export interface Rules {
  channels: Map<string, ChannelRow>;
  triggers: Map<string, ActiveTrigger[]>;
  workflows: Map<number, WorkflowRow>;
  /** In the order in which they began to wait. */
  waits: OpenWait[];
}

/** The rules of projects, cached until they change. A change takes effect at once, here and in the other replicas. */
@Injectable()
export class ProjectRules {
  private readonly cache: ChangeCache<Omit<Rules, 'waits'>>;
  /** Apart from the others, as they change with every run that waits. */
  private readonly waits: ChangeCache<OpenWait[]>;
  /** By text: rules are read again and again, and compiling is the most expensive part of that. */
  private readonly filters = new Map<string, ReturnType<typeof compileFilter>>();
  private readonly conditions = new Map<string, ReturnType<typeof compileWaitCondition>>();

  constructor(
    private readonly db: Database,
    changes: ChangeListener,
    @Inject(SETTINGS) { CHANGE_CACHE_MS: keptMs }: RouterSettings,
  ) {
    this.cache = new ChangeCache(changes, { topic: 'rules', maxKept: maxCached, keptMs, unheardMs });
    this.waits = new ChangeCache(changes, { topic: 'waits', maxKept: maxCached, keptMs, unheardMs });
  }

  /** @param workflowIds workflows that messages name: the ingress saw them, so rules without them are stale */
  async of(projectId: string, workflowIds: number[] = []): Promise<Rules> {
    const read = (): Promise<Omit<Rules, 'waits'>> => this.read(projectId);
    const [known, waits] = await Promise.all([
      this.cache.get(projectId, read),
      this.waits.get(projectId, () => this.waitsOf(projectId)),
    ]);
    const isKnown = workflowIds.every((id) => known.workflows.has(id));
    return { ...(isKnown ? known : await this.cache.renew(projectId, read)), waits };
  }

  /** Call it after a run of the project has begun to wait. */
  forgetWaits(projectId: string): void {
    this.waits.forget(projectId);
  }

  private async waitsOf(projectId: string): Promise<OpenWait[]> {
    const rows = (await this.db.query(
      `SELECT id, turn_id, run_id, workflow_id, run_message_id, step, app_id, event_type, consume, given, "where"
         FROM router.event_wait WHERE project_id = $1 AND state = 'waiting' ORDER BY id`,
      [projectId],
    )) as (Omit<OpenWait, 'compiled'> & { where: string | null })[];
    return rows.map(({ where, ...wait }) => ({
      ...wait,
      compiled: where === null ? null : this.compiled(where, this.conditions, compileWaitCondition),
    }));
  }

  /** Call it after changing a project's rules. */
  forget(projectId: string): void {
    this.cache.forget(projectId);
  }

  private async read(projectId: string): Promise<Omit<Rules, 'waits'>> {
    // As of one moment, so that no trigger is read without its workflow.
    const { workflows, triggers, channels } = await this.db.transaction('REPEATABLE READ', async (tx) => ({
      workflows: await tx.findBy(WorkflowRow, { project_id: projectId }),
      triggers: await tx.find(TriggerRow, { where: { project_id: projectId, active: true }, order: { id: 'ASC' } }),
      channels: await tx.findBy(ChannelRow, { project_id: projectId }),
    }));
    return {
      channels: new Map(channels.map((channel) => [channel.app_id, channel])),
      triggers: Map.groupBy(
        triggers.map((trigger) => ({
          ...trigger,
          compiled: trigger.where === null ? null : this.compiled(trigger.where, this.filters, compileFilter),
        })),
        (trigger) => trigger.app_id,
      ),
      workflows: new Map(workflows.map((workflow) => [workflow.id, workflow])),
    };
  }

  private compiled<T>(expression: string, kept: Map<string, T>, compile: (text: string) => T): T {
    const known = kept.get(expression);
    if (known) return known;
    if (kept.size >= maxFilters) kept.clear();
    const compiled = compile(expression);
    kept.set(expression, compiled);
    return compiled;
  }
}
