import { attentionAtMost, type AttentionItem, type ProjectScope } from '#libs/contracts';
import { Database } from '#libs/database';
import { noLimits, ProjectLimits } from '#libs/project-limits';
import { Inject, Injectable } from '@nestjs/common';
import type { AgentCaps } from '../../entities/agent.entity.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { budgetLimits, isLimited } from '../../path/turns/turn-budget.service.js';
import { type Span, spans } from '../../path/usage/day-usage.repository.js';

const ends: Record<Span, string> = {
  day: 'the day ends at 00:00 UTC',
  month: 'the month ends at 00:00 UTC on its last day',
};

interface AgentUse {
  agent_id: string;
  name: string;
  caps: AgentCaps;
  tokens: string;
  cost: string;
  /** The most that one contact has used. */
  contact_tokens: string;
  contact_cost: string;
}

/** A budget, and how much of it is used. */
interface Budget {
  what: 'tokens' | 'cost';
  used: number;
  limit: number;
  /** The limit, as whoever set it knows it. */
  given: string;
}

const sinceSql: Record<Span, string> = {
  day: "(now() AT TIME ZONE 'utc')::date",
  month: "date_trunc('month', now() AT TIME ZONE 'utc')::date",
};

const capsOf: Record<Span, (keyof AgentCaps)[]> = {
  day: ['day_tokens', 'day_cost_micros', 'contact_day_tokens', 'contact_day_cost_micros'],
  month: ['month_tokens', 'month_cost_micros', 'contact_month_tokens', 'contact_month_cost_micros'],
};

/** Agents and projects whose budget of the day or of the month is used up: their turns fail until it ends. */
@Injectable()
export class SpentBudgetRepository {
  constructor(
    private readonly db: Database,
    private readonly projects: ProjectLimits,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  async of(scope: ProjectScope): Promise<AttentionItem[]> {
    const found = await Promise.all(spans.map((span) => this.spentIn(span, scope)));
    return found.flat().slice(0, attentionAtMost);
  }

  private async spentIn(span: Span, scope: ProjectScope): Promise<AttentionItem[]> {
    const { organizationId, projectId } = scope;
    const ofAll = budgetLimits(this.settings, {}, noLimits)?.[span];
    const caps = ofAll && Object.values(ofAll).some(isLimited) ? null : capsOf[span];
    const limited = (await this.db.query(
      `SELECT id FROM engine.agent
        WHERE organization_id = $1 AND project_id = $2 AND ($3::text[] IS NULL OR caps ?| $3::text[])`,
      [organizationId, projectId, caps],
    )) as { id: string }[];
    const ofProject = await this.ofProject(span, scope);
    // The usage of a month is many rows, and each console asks all the time.
    if (limited.length === 0) return ofProject;
    const agents = (await this.db.query(
      `WITH used AS (
         SELECT agent_id, contact_id, sum(input_tokens + output_tokens) AS tokens, sum(cost_micros) AS cost FROM engine.usage
          WHERE organization_id = $1 AND project_id = $2 AND day >= ${sinceSql[span]} AND agent_id = ANY($3)
          GROUP BY agent_id, contact_id)
       SELECT a.id AS agent_id, a.name, a.caps, sum(tokens) AS tokens, sum(cost) AS cost,
              coalesce(max(tokens) FILTER (WHERE contact_id <> ''), 0) AS contact_tokens,
              coalesce(max(cost) FILTER (WHERE contact_id <> ''), 0) AS contact_cost
         FROM used JOIN engine.agent a ON a.id = used.agent_id AND a.project_id = $2
        GROUP BY a.id ORDER BY sum(tokens) DESC`,
      [organizationId, projectId, limited.map(({ id }) => id)],
    )) as AgentUse[];
    return [...ofProject, ...agents.flatMap((agent) => this.ofAgent(span, agent))];
  }

  /** With the usage of agents that are deleted by now. */
  private async ofProject(span: Span, { organizationId, projectId }: ProjectScope): Promise<AttentionItem[]> {
    const limits = this.projects.of(projectId);
    const caps = [`${span}_tokens`, `${span}_cost_micros`] as const;
    const [tokens, cost] = caps.map((cap) => limits[cap] ?? Number.POSITIVE_INFINITY);
    if (![tokens, cost].some(Number.isFinite)) return [];
    const [used] = (await this.db.query(
      `SELECT coalesce(sum(input_tokens + output_tokens), 0) AS tokens, coalesce(sum(cost_micros), 0) AS cost
         FROM engine.usage WHERE organization_id = $1 AND project_id = $2 AND day >= ${sinceSql[span]}`,
      [organizationId, projectId],
    )) as { tokens: string; cost: string }[];
    const budgets: Budget[] = [
      { what: 'tokens', used: Number(used?.tokens), limit: Number(tokens), given: `${caps[0]} of the project` },
      { what: 'cost', used: Number(used?.cost), limit: Number(cost), given: `${caps[1]} of the project` },
    ];
    const resource = { kind: 'project', id: projectId } as const;
    return budgets.flatMap((budget) => spent(span, 'All agents of the project have used up its', budget, resource));
  }

  private ofAgent(span: Span, { agent_id, name, caps, ...used }: AgentUse): AttentionItem[] {
    const limits = budgetLimits(this.settings, caps, noLimits)?.[span];
    if (!limits) return [];
    const given = (cap: keyof AgentCaps, limit: number): string =>
      caps[cap] === limit ? `${cap} of the agent` : cap.toUpperCase().replace(/(DAY|MONTH)_/, '$1_MAX_');
    const budgets = [
      { of: 'The agent', used: used.tokens, limit: limits.all.tokens, cap: `${span}_tokens`, what: 'tokens' },
      { of: 'The agent', used: used.cost, limit: limits.all.costMicros, cap: `${span}_cost_micros`, what: 'cost' },
      {
        of: 'A contact of',
        used: used.contact_tokens,
        limit: limits.contact.tokens,
        cap: `contact_${span}_tokens`,
        what: 'tokens',
      },
      {
        of: 'A contact of',
        used: used.contact_cost,
        limit: limits.contact.costMicros,
        cap: `contact_${span}_cost_micros`,
        what: 'cost',
      },
    ] as const;
    return budgets.flatMap(({ of, used: sum, limit, cap, what }) =>
      spent(
        span,
        `${of} ${name} has used up the`,
        { what, used: Number(sum), limit, given: given(cap, limit) },
        { kind: 'agents', id: agent_id },
      ),
    );
  }
}

/** @param who the beginning of the sentence */
function spent(
  span: Span,
  who: string,
  { what, used, limit, given }: Budget,
  resource: AttentionItem['resource'],
): AttentionItem[] {
  if (used < limit) return [];
  const unit = what === 'cost' ? ' millionths' : '';
  return [
    {
      code: `${span}_budget_spent`,
      severity: 'warning',
      text: `${who} ${what} of the ${span}: ${used} of ${limit}${unit} (${given}).`,
      what_to_do: `Raise the limit, or wait: ${ends[span]}. Turns that failed can be redriven.`,
      resource,
      count: 1,
      since: null,
      scope: 'agents:read',
    },
  ];
}
