import { columnsOf } from '#libs/contracts';
import { notFound, type Principal, RowNumberPipe } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import type { WorkflowRow } from '../../entities/rules.entity.js';
import type { RuleFields } from '../../entities/rule-version.entity.js';
import { EngineRuns } from '../../path/handover/engine-runs.js';
import { ProjectRules } from '../../path/rules/project-rules.js';
import { NamedAgents } from '../agents/named-agents.js';
import type { Restored, Rule } from '../history/rule-history.js';
import { requireOutputSchema } from './output-schema.js';
import { requireSteps } from './workflow-steps.js';
import { WorkflowRepository } from './workflow.repository.js';

type Definition = Pick<WorkflowRow, 'name' | 'agent_id' | 'instructions' | 'steps'> & {
  output_schema: Record<string, unknown> | null;
};
type EarlierDefinition = Omit<Definition, 'steps'> & Partial<Definition>;
export type WorkflowFields = Definition & Pick<WorkflowRow, 'status'>;

export const workflowNumber = new RowNumberPipe('workflow');

@Injectable()
export class WorkflowService {
  constructor(
    private readonly workflows: WorkflowRepository,
    private readonly rules: ProjectRules,
    private readonly runs: EngineRuns,
    private readonly agents: NamedAgents,
  ) {}

  list(caller: Principal): Promise<WorkflowRow[]> {
    return this.workflows.allOf(caller.projectId);
  }

  /** @throws Problem 404 */
  async get(caller: Principal, id: number): Promise<WorkflowRow> {
    const row = await this.workflows.find(caller.projectId, id);
    if (!row || row.organization_id !== caller.organizationId) throw notFound('workflow', id);
    return row;
  }

  /** @throws Problem 422 */
  async create(caller: Principal, given: Definition): Promise<WorkflowRow> {
    await this.requireValid(caller, given, given);
    const now = new Date();
    const row = { ...columnsOf(caller), ...given, status: 'active' as const, created_at: now, updated_at: now };
    const made = await this.workflows.insert(caller, row);
    this.rules.forget(caller.projectId);
    return made;
  }

  /** Making it active releases its waiting runs. @throws Problem 404, 422; 409 `version_changed` */
  async change(
    caller: Principal,
    id: number,
    change: Partial<WorkflowFields>,
    restored: Restored | null = null,
  ): Promise<WorkflowRow> {
    const before = await this.get(caller, id);
    const { steps = before.steps, output_schema = before.output_schema } = change;
    await this.requireValid(caller, change, { steps, output_schema });
    const now = new Date();
    await this.workflows.update(caller, id, { ...change, updated_at: now }, restored);
    this.rules.forget(caller.projectId);
    if (change.status === 'active') await this.runs.release(caller, id, now);
    return this.get(caller, id);
  }

  /** @throws Problem 404 */
  async rule(caller: Principal, id: string): Promise<Rule> {
    return { kind: 'workflow', subject: String((await this.get(caller, workflowNumber.transform(id))).id) };
  }

  /** Whether it is active stays as it is. @throws Problem as `change` */
  restore(caller: Principal, id: string, fields: RuleFields, restored: Restored): Promise<WorkflowRow> {
    // A version from before there were steps has none.
    const { name, agent_id, instructions, output_schema, steps = null } = fields as EarlierDefinition;
    const repeated = { name, agent_id, instructions, output_schema, steps };
    return this.change(caller, workflowNumber.transform(id), repeated, restored);
  }

  /** @param whole as it will be */
  private async requireValid(
    caller: Principal,
    { agent_id, output_schema, steps }: Partial<Definition>,
    whole: Pick<WorkflowRow, 'steps' | 'output_schema'>,
  ): Promise<void> {
    requireOutputSchema(output_schema);
    requireSteps(whole.steps, whole.output_schema !== null);
    await this.agents.require(caller, agent_id);
    for (const [index, step] of (steps ?? []).entries())
      await this.agents.require(caller, step.agent_id, `steps.${index}.agent_id`);
  }
}
