import { ProjectLimits, type ProjectLimitsDto } from '#libs/project-limits';
import { PermanentFailure, RunLater } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import type { Agent, AgentCaps } from '../../entities/agent.entity.js';
import type { NextCall } from '../loop/agent-loop.js';
import { ModelPrices } from '../model/model-spending.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import type { TurnScope } from '../tools/tool.js';
import {
  type Account,
  type DayParts,
  type DayState,
  DayUsageRepository,
  type DayUse,
  type Span,
  spans,
  type UsedParts,
} from '../usage/day-usage.repository.js';

/** For people too: why a turn waits. */
export const reservedCode = 'day_reserved';
const reservedWords =
  'What is left of the budget is reserved by turns that run. The turn continues when one of them ends.';
/** Nobody informs a waiting turn: turns that end are at other replicas too. */
const retryAfterMs = 500;
const charsPerToken = 4;

export interface TurnAllowance {
  limits: TurnLimits;
  /**
   * Reserves a call of the model, and one more to end the turn with. Null: no limit of a day or a month holds.
   * @returns false when there is no room for it beside what is reserved: the turn has to end
   * @throws RunLater `day_reserved`; PermanentFailure `day_budget_spent`, `month_budget_spent`
   */
  reserve: ((call: NextCall) => Promise<boolean>) | null;
}

/** What a turn may use, given what its agent, contact and project have used, and what turns beside it have reserved. */
@Injectable()
export class TurnBudget {
  /** Turns of this process that hold a reservation. */
  private readonly holding = new Set<string>();

  constructor(
    private readonly days: DayUsageRepository,
    private readonly prices: ModelPrices,
    private readonly projects: ProjectLimits,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** @throws PermanentFailure `day_budget_spent`, `month_budget_spent` */
  async of(agent: Agent, turn: TurnScope): Promise<TurnAllowance> {
    const limits = turnLimits(this.settings, agent.caps);
    const budgets = budgetLimits(this.settings, agent.caps, this.projects.of(turn.projectId));
    if (!budgets) return { limits, reserve: null };
    const used = await this.days.used(accountOf(agent, turn, budgets));
    const left = allowed(limits, budgets, used, turn);
    return { limits: left, reserve: (call) => this.reserve(agent, turn, limits, budgets, call) };
  }

  /** Whether a limit of the day or the month leaves nothing to the agent's turns of a contact. */
  async isSpent(agent: Agent, whose: Pick<TurnScope, 'projectId' | 'contactId'>): Promise<boolean> {
    const budgets = budgetLimits(this.settings, agent.caps, this.projects.of(whose.projectId));
    if (!budgets) return false;
    const used = await this.days.used(accountOf(agent, whose, budgets));
    return 'of' in withinBudgets(unlimited, budgets, used, whose.contactId !== null);
  }

  /** What it has used is stored, or will be counted by the claim that goes on. */
  async release(turnId: string): Promise<void> {
    if (!this.holding.delete(turnId)) return;
    // That of a turn that does not run counts for nothing, and is deleted with the next reservation of its agent.
    await this.days.release(turnId).catch(() => undefined);
  }

  private costOf({ name, listPrice }: NextCall['model'], input_tokens: number, output_tokens: number): number {
    const listed = listPrice ? { listPrice } : {};
    return this.prices.costMicros({
      model: name ?? this.settings.MODEL_NAME ?? '',
      input_tokens,
      output_tokens,
      ...listed,
    });
  }

  private async reserve(
    agent: Agent,
    turn: TurnScope,
    limits: TurnLimits,
    budgets: BudgetLimits,
    { model, inputChars, unstored, first }: NextCall,
  ): Promise<boolean> {
    const input = Math.ceil(inputChars / charsPerToken);
    const output = this.settings.MODEL_MAX_OUTPUT_TOKENS;
    const wanted = {
      tokens: unstored.tokens + 2 * (input + output),
      costMicros: unstored.costMicros + 2 * this.costOf(model, input, output),
    };
    const account = accountOf(agent, turn, budgets);
    let held = false;
    await this.days.hold(turn.turnId, account, (state) => {
      // Before anything is reserved: a budget that is used up ends the turn, and no wait changes that.
      if (first) allowed(limits, budgets, state.used, turn);
      const room = withinBudgets(unlimited, budgets, together(state), turn.contactId !== null);
      // The first call needs room for anything at all, as where turns come one after another; later ones for all of it.
      held = !('of' in room) && (first || (room.tokens >= wanted.tokens && room.costMicros >= wanted.costMicros));
      if (!held || 'of' in room) return null;
      return {
        tokens: Math.min(wanted.tokens, room.tokens),
        costMicros: Math.min(wanted.costMicros, room.costMicros),
      };
    });
    if (held) this.holding.add(turn.turnId);
    else if (first)
      throw new RunLater(retryAfterMs + Math.ceil(Math.random() * retryAfterMs), reservedCode, reservedWords);
    return held;
  }
}

export function accountOf(
  agent: Pick<Agent, 'id'>,
  { projectId, contactId }: Pick<TurnScope, 'projectId' | 'contactId'>,
  { day, month }: BudgetLimits,
): Account {
  const ofProject = [day.project, month.project].some(isLimited);
  return { projectId, agentId: agent.id, contactId, ofProject, ofMonth: Object.values(month).some(isLimited) };
}

export const isLimited = ({ tokens, costMicros }: DayUse): boolean =>
  Number.isFinite(tokens) || Number.isFinite(costMicros);

const unlimited: TurnLimits = {
  steps: 0,
  toolCalls: 0,
  wallClockMs: 0,
  tokens: Number.POSITIVE_INFINITY,
  costMicros: Number.POSITIVE_INFINITY,
};

/** @throws PermanentFailure `day_budget_spent`, `month_budget_spent` */
function allowed(limits: TurnLimits, budgets: BudgetLimits, used: UsedParts, { contactId }: TurnScope): TurnLimits {
  const left = withinBudgets(limits, budgets, used, contactId !== null);
  if ('of' in left) throw new PermanentFailure(`${left.span}_budget_spent`, wordsOfSpent(left));
  return left;
}

/** What is reserved now counts for the day as for the month. */
function together({ used, held }: DayState): UsedParts {
  const sum = (one: DayUse, other: DayUse): DayUse => ({
    tokens: one.tokens + other.tokens,
    costMicros: one.costMicros + other.costMicros,
  });
  const withHeld = (span: DayParts): DayParts => ({
    all: sum(span.all, held.all),
    contact: sum(span.contact, held.contact),
    project: sum(span.project, held.project),
  });
  return { day: withHeld(used.day), month: withHeld(used.month) };
}

/** What budgets leave, of what is used alone, and beside what is reserved too; or which of them leaves nothing. */
export function roomIn(budgets: BudgetLimits, state: DayState, isContact: boolean): { used: Room; room: Room } {
  return {
    used: withinBudgets(unlimited, budgets, state.used, isContact),
    room: withinBudgets(unlimited, budgets, together(state), isContact),
  };
}

type Room = TurnLimits | BudgetSpent;

/** What one turn may use; Infinity where there is no limit. */
export interface TurnLimits {
  steps: number;
  toolCalls: number;
  wallClockMs: number;
  tokens: number;
  costMicros: number;
}

/** A limit of the day or the month that leaves a turn nothing. */
export interface BudgetSpent {
  span: Span;
  limit: 'tokens' | 'cost';
  of: 'contact' | 'agent' | 'project';
}

/** For people. */
export function wordsOfSpent({ span, limit, of }: BudgetSpent): string {
  return `the ${of}'s ${limit} of the ${span} ${limit === 'tokens' ? 'are' : 'is'} used up`;
}

/** The limit that a failed turn's message names, or null: the job of a failure carries a code and this message. */
export function spentIn(message: string): BudgetSpent | null {
  const limits = spans.flatMap((span) =>
    (['tokens', 'cost'] as const).flatMap((limit) =>
      (['contact', 'agent', 'project'] as const).map((of): BudgetSpent => ({ span, limit, of })),
    ),
  );
  return limits.find((spent) => wordsOfSpent(spent) === message) ?? null;
}

/** Whether a turn failed because a budget is used up. */
export const isSpentCode = (code: string): boolean => spans.some((span) => code === `${span}_budget_spent`);

export type BudgetLimits = UsedParts;

/** The installation's limits, lowered by the agent's. 0 in the settings means no limit. */
export function turnLimits(settings: EngineSettings, caps: AgentCaps): TurnLimits {
  return {
    steps: lower(settings.TURN_MAX_STEPS, caps.steps),
    toolCalls: Math.min(settings.TURN_MAX_TOOL_CALLS, caps.tool_calls ?? Number.POSITIVE_INFINITY),
    wallClockMs: lower(settings.TURN_WALL_CLOCK_MS, caps.wall_clock_ms),
    tokens: lower(settings.TURN_MAX_TOKENS, caps.run_tokens),
    costMicros: lower(settings.TURN_MAX_COST_MICROS, caps.run_cost_micros),
  };
}

type OfProject = Pick<ProjectLimitsDto, 'day_tokens' | 'day_cost_micros'> &
  Partial<Pick<ProjectLimitsDto, 'month_tokens' | 'month_cost_micros'>>;

/** The limits of the day and of the month; null when there are none, so usage need not be read. */
export function budgetLimits(settings: EngineSettings, caps: AgentCaps, project: OfProject): BudgetLimits | null {
  const day: DayParts = {
    all: use(settings.DAY_MAX_TOKENS, caps.day_tokens, settings.DAY_MAX_COST_MICROS, caps.day_cost_micros),
    contact: use(
      settings.CONTACT_DAY_MAX_TOKENS,
      caps.contact_day_tokens,
      settings.CONTACT_DAY_MAX_COST_MICROS,
      caps.contact_day_cost_micros,
    ),
    project: use(0, project.day_tokens, 0, project.day_cost_micros),
  };
  const month: DayParts = {
    all: use(settings.MONTH_MAX_TOKENS, caps.month_tokens, settings.MONTH_MAX_COST_MICROS, caps.month_cost_micros),
    contact: use(
      settings.CONTACT_MONTH_MAX_TOKENS,
      caps.contact_month_tokens,
      settings.CONTACT_MONTH_MAX_COST_MICROS,
      caps.contact_month_cost_micros,
    ),
    project: use(0, project.month_tokens, 0, project.month_cost_micros),
  };
  return [day, month].some((span) => Object.values(span).some(isLimited)) ? { day, month } : null;
}

function use(
  tokens: number,
  ownTokens: number | null | undefined,
  cost: number,
  ownCost: number | null | undefined,
): DayUse {
  return { tokens: lower(tokens, ownTokens ?? undefined), costMicros: lower(cost, ownCost ?? undefined) };
}

/** @returns the turn's limits, lowered to what is left of the day and of the month; or the limit that is reached */
function withinBudgets(
  limits: TurnLimits,
  budgets: BudgetLimits,
  used: UsedParts,
  isContact: boolean,
): TurnLimits | BudgetSpent {
  const parts: (keyof DayParts)[] = isContact ? ['contact', 'all', 'project'] : ['all', 'project'];
  const room = { tokens: limits.tokens, costMicros: limits.costMicros };
  for (const span of spans)
    for (const what of ['tokens', 'costMicros'] as const)
      for (const part of parts) {
        const left = budgets[span][part][what] - used[span][part][what];
        if (left <= 0)
          return { span, limit: what === 'tokens' ? 'tokens' : 'cost', of: part === 'all' ? 'agent' : part };
        room[what] = Math.min(room[what], left);
      }
  return { ...limits, ...room };
}

function lower(setting: number, cap: number | undefined): number {
  return Math.min(setting || Number.POSITIVE_INFINITY, cap ?? Number.POSITIVE_INFINITY);
}
