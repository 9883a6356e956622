import { attentionAtMost, type AttentionItem, type ProjectScope } from '#libs/contracts';
import { Database } from '#libs/database';
import { noLimits, ProjectLimits } from '#libs/project-limits';
import { Inject, Injectable } from '@nestjs/common';
import type { AgentCaps } from '../../entities/agent.entity.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { dayLimits } from '../../path/turns/turn-budget.service.js';

const whatToDo = 'Raise the limit, or wait: the day ends at 00:00 UTC. Turns that failed can be redriven.';

interface AgentDay {
  agent_id: string;
  name: string;
  caps: AgentCaps;
  tokens: string;
  cost: string;
  /** The most that one contact has used. */
  contact_tokens: string;
  contact_cost: string;
}

/** Agents whose budget of the day is used up: their turns fail until the next day. */
@Injectable()
export class SpentBudgetRepository {
  constructor(
    private readonly db: Database,
    private readonly projects: ProjectLimits,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  async of({ organizationId, projectId }: ProjectScope): Promise<AttentionItem[]> {
    const days = (await this.db.query(
      `WITH day AS (
         SELECT agent_id, contact_id, input_tokens + output_tokens AS tokens, cost_micros AS cost FROM engine.usage
          WHERE organization_id = $1 AND project_id = $2 AND day = (now() AT TIME ZONE 'utc')::date)
       SELECT a.id AS agent_id, a.name, a.caps, sum(tokens) AS tokens, sum(cost) AS cost,
              coalesce(max(tokens) FILTER (WHERE contact_id <> ''), 0) AS contact_tokens,
              coalesce(max(cost) FILTER (WHERE contact_id <> ''), 0) AS contact_cost
         FROM day JOIN engine.agent a ON a.id = day.agent_id AND a.project_id = $2
        GROUP BY a.id ORDER BY sum(tokens) DESC`,
      [organizationId, projectId],
    )) as AgentDay[];
    const agents = days.flatMap((day) => this.spentOf(day));
    return [...(await this.spentOfProject(organizationId, projectId)), ...agents].slice(0, attentionAtMost);
  }

  /** With the usage of agents that are deleted by now. */
  private async spentOfProject(organizationId: string, projectId: string): Promise<AttentionItem[]> {
    const { day_tokens, day_cost_micros } = this.projects.of(projectId);
    if (day_tokens === null && day_cost_micros === null) return [];
    const [day] = (await this.db.query(
      `SELECT coalesce(sum(input_tokens + output_tokens), 0) AS tokens, coalesce(sum(cost_micros), 0) AS cost
         FROM engine.usage
        WHERE organization_id = $1 AND project_id = $2 AND day = (now() AT TIME ZONE 'utc')::date`,
      [organizationId, projectId],
    )) as { tokens: string; cost: string }[];
    const budgets = [
      { what: 'tokens', used: Number(day?.tokens), limit: day_tokens, cap: 'day_tokens', unit: '' },
      { what: 'cost', used: Number(day?.cost), limit: day_cost_micros, cap: 'day_cost_micros', unit: ' millionths' },
    ];
    return budgets
      .filter(({ used: sum, limit }) => limit !== null && sum >= limit)
      .map(({ what, used: sum, limit, cap, unit }) => ({
        code: 'day_budget_spent',
        severity: 'warning',
        text: `All agents of the project have used up its ${what} of the day: ${sum} of ${limit}${unit} (${cap} of the project).`,
        what_to_do: whatToDo,
        resource: { kind: 'project', id: projectId },
        count: 1,
        since: null,
        scope: 'agents:read',
      }));
  }

  private spentOf({ agent_id, name, caps, ...day }: AgentDay): AttentionItem[] {
    const limits = dayLimits(this.settings, caps, noLimits);
    if (!limits) return [];
    const budgets = [
      { of: 'The agent', used: day.tokens, limit: limits.all.tokens, cap: 'day_tokens', what: 'tokens' },
      { of: 'The agent', used: day.cost, limit: limits.all.costMicros, cap: 'day_cost_micros', what: 'cost' },
      {
        of: 'A contact of',
        used: day.contact_tokens,
        limit: limits.contact.tokens,
        cap: 'contact_day_tokens',
        what: 'tokens',
      },
      {
        of: 'A contact of',
        used: day.contact_cost,
        limit: limits.contact.costMicros,
        cap: 'contact_day_cost_micros',
        what: 'cost',
      },
    ] as const;
    return budgets
      .filter(({ used, limit }) => Number(used) >= limit)
      .map(({ of, used, limit, cap, what }) => {
        const setting = `${cap.toUpperCase().replace('DAY_', 'DAY_MAX_')}`;
        const given = caps[cap] === limit ? `${cap} of the agent` : setting;
        const unit = what === 'cost' ? ' millionths' : '';
        return {
          code: 'day_budget_spent',
          severity: 'warning',
          text: `${of} ${name} has used up the ${what} of the day: ${Number(used)} of ${limit}${unit} (${given}).`,
          what_to_do: whatToDo,
          resource: { kind: 'agents', id: agent_id },
          count: 1,
          since: null,
          scope: 'agents:read',
        };
      });
  }
}
