import { ChangeCache, ChangeListener, Database } from '#libs/database';
import { Inject, Injectable } from '@nestjs/common';
import { ChannelRow, TriggerRow, WorkflowRow } from '../../entities/rules.entity.js';
import { compileFilter } from '#libs/expressions';
import { type RouterSettings, SETTINGS } from '../../env.js';

/** How long a change may be unknown here while changes are not heard. */
const unheardMs = 5_000;
const maxCached = 1_000;
const maxFilters = 10_000;

export interface ActiveTrigger extends TriggerRow {
  /** Null without a `where`. */
  compiled: ReturnType<typeof compileFilter> | null;
}

/** The rules by which a project's messages are routed. */
export interface Rules {
  channels: Map<string, ChannelRow>;
  triggers: Map<string, ActiveTrigger[]>;
  workflows: Map<number, WorkflowRow>;
}

/** The rules of projects, cached until they change. A change takes effect at once, here and in the other replicas. */
@Injectable()
export class ProjectRules {
  private readonly cache: ChangeCache<Rules>;
  /** By text: rules are read again and again, and compiling is the most expensive part of that. */
  private readonly filters = new Map<string, ReturnType<typeof compileFilter>>();

  constructor(
    private readonly db: Database,
    changes: ChangeListener,
    @Inject(SETTINGS) { CHANGE_CACHE_MS: keptMs }: RouterSettings,
  ) {
    this.cache = new ChangeCache(changes, { topic: 'rules', maxKept: maxCached, keptMs, unheardMs });
  }

  /** @param workflowIds workflows that messages name: the ingress saw them, so rules without them are stale */
  async of(projectId: string, workflowIds: number[] = []): Promise<Rules> {
    const read = (): Promise<Rules> => this.read(projectId);
    const rules = await this.cache.get(projectId, read);
    return workflowIds.every((id) => rules.workflows.has(id)) ? rules : this.cache.renew(projectId, read);
  }

  /** Call it after changing a project's rules. */
  forget(projectId: string): void {
    this.cache.forget(projectId);
  }

  private async read(projectId: string): Promise<Rules> {
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
          compiled: trigger.where === null ? null : this.compiled(trigger.where),
        })),
        (trigger) => trigger.app_id,
      ),
      workflows: new Map(workflows.map((workflow) => [workflow.id, workflow])),
    };
  }

  private compiled(expression: string): ReturnType<typeof compileFilter> {
    const known = this.filters.get(expression);
    if (known) return known;
    if (this.filters.size >= maxFilters) this.filters.clear();
    const compiled = compileFilter(expression);
    this.filters.set(expression, compiled);
    return compiled;
  }
}
