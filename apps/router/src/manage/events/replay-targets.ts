import { holds, type Principal, Problem, type Scope } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { NamedAgents } from '../agents/named-agents.js';
import { ProjectRules } from '../../path/rules/project-rules.js';

/** Takes a replayed event instead of what the rules say. */
export type ReplayTarget = { workflowId: number } | { agentId: string };

/** Who may send an event to a target, and whether the target exists. */
@Injectable()
export class ReplayTargets {
  constructor(
    private readonly rules: ProjectRules,
    private readonly agents: NamedAgents,
  ) {}

  /**
   * The right to replay covers only repeating what the rules say. Choosing what acts needs the right to change that
   * choice.
   * @throws Problem 403 `scope_missing`; 422 `workflow_not_found`, `agent_not_found`; 409 `workflow_gone` when it is
   * off
   */
  async require(caller: Principal, target: ReplayTarget): Promise<void> {
    if ('agentId' in target) {
      requireScope(caller, 'agents:write');
      return this.agents.require(caller, target.agentId);
    }
    requireScope(caller, 'workflows:write');
    const { workflowId: id } = target;
    const workflow = (await this.rules.of(caller.projectId, [id])).workflows.get(id);
    if (!workflow) {
      const message = `There is no workflow ${id} in this project.`;
      throw new Problem(422, 'workflow_not_found', message, [{ field: 'workflow_id', message }]);
    }
    if (workflow.status === 'off')
      throw new Problem(409, 'workflow_gone', `The workflow ${id} is off: turn it on first.`);
  }
}

function requireScope({ scopes }: Principal, scope: Scope): void {
  if (!holds(scopes, scope)) throw new Problem(403, 'scope_missing', `Choosing this target needs the scope ${scope}.`);
}
