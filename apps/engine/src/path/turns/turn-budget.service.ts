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
} from '../usage/day-usage.repository.js';

/** For people too: why a turn waits. */
export const reservedCode = 'day_reserved';
const reservedWords =
  'What is left of the budget of the day is reserved by turns that run. The turn continues when one of them ends.';
/** Nobody informs a waiting turn: turns that end are at other replicas too. */
const retryAfterMs = 500;
const charsPerToken = 4;

export interface TurnAllowance {
  limits: TurnLimits;
  /**
   * Reserves a call of the model, and one more to end the turn with. Null: no limit of the day holds.
   * @returns false when the day has no room for it beside what is reserved: the turn has to end
   * @throws RunLater `day_reserved`; PermanentFailure `day_budget_spent`
   */
  reserve: ((call: NextCall) => Promise<boolean>) | null;
}

/** What a turn may use, given today's usage of its agent and its contact, and what turns beside it have reserved. */
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

  /** @throws PermanentFailure `day_budget_spent` */
  async of(agent: Agent, turn: TurnScope): Promise<TurnAllowance> {
    const limits = turnLimits(this.settings, agent.caps);
    const day = dayLimits(this.settings, agent.caps, this.projects.of(turn.projectId));
    if (!day) return { limits, reserve: null };
    const used = await this.days.today(accountOf(agent, turn, day));
    const left = allowed(limits, day, used, turn);
    return { limits: left, reserve: (call) => this.reserve(agent, turn, limits, day, call) };
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
    day: DayLimits,
    { model, inputChars, unstored, first }: NextCall,
  ): Promise<boolean> {
    const input = Math.ceil(inputChars / charsPerToken);
    const output = this.settings.MODEL_MAX_OUTPUT_TOKENS;
    const wanted = {
      tokens: unstored.tokens + 2 * (input + output),
      costMicros: unstored.costMicros + 2 * this.costOf(model, input, output),
    };
    const account = accountOf(agent, turn, day);
    let held = false;
    await this.days.hold(turn.turnId, account, (state) => {
      // Before anything is reserved: a day that is used up ends the turn, and no wait changes that.
      if (first) allowed(limits, day, state.used, turn);
      const room = withinDay(unlimited, day, together(state), turn.contactId !== null);
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

function accountOf(agent: Agent, { projectId, contactId }: TurnScope, { project }: DayLimits): Account {
  return { projectId, agentId: agent.id, contactId, ofProject: Object.values(project).some(Number.isFinite) };
}

const unlimited: TurnLimits = {
  steps: 0,
  toolCalls: 0,
  wallClockMs: 0,
  tokens: Number.POSITIVE_INFINITY,
  costMicros: Number.POSITIVE_INFINITY,
};

/** @throws PermanentFailure `day_budget_spent` */
function allowed(limits: TurnLimits, day: DayLimits, used: DayState['used'], { contactId }: TurnScope): TurnLimits {
  const left = withinDay(limits, day, used, contactId !== null);
  if ('of' in left) throw new PermanentFailure('day_budget_spent', wordsOfSpent(left));
  return left;
}

function together({ used, held }: DayState): DayState['used'] {
  const sum = (one: DayUse, other: DayUse): DayUse => ({
    tokens: one.tokens + other.tokens,
    costMicros: one.costMicros + other.costMicros,
  });
  return {
    all: sum(used.all, held.all),
    contact: sum(used.contact, held.contact),
    project: sum(used.project, held.project),
  };
}

/** What one turn may use; Infinity where there is no limit. */
export interface TurnLimits {
  steps: number;
  toolCalls: number;
  wallClockMs: number;
  tokens: number;
  costMicros: number;
}

/** A limit of the day that leaves a turn nothing. */
export interface DaySpent {
  limit: 'tokens' | 'cost';
  of: 'contact' | 'agent' | 'project';
}

const spentWords: Record<DaySpent['limit'], Record<DaySpent['of'], string>> = {
  tokens: {
    contact: "the contact's tokens of the day are used up",
    agent: "the agent's tokens of the day are used up",
    project: "the project's tokens of the day are used up",
  },
  cost: {
    contact: "the contact's cost of the day is used up",
    agent: "the agent's cost of the day is used up",
    project: "the project's cost of the day is used up",
  },
};

/** For people. */
export function wordsOfSpent({ limit, of }: DaySpent): string {
  return spentWords[limit][of];
}

/** The limit that a failed turn's message names, or null: the job of a failure carries a code and this message. */
export function spentIn(message: string): DaySpent | null {
  const limits = (['tokens', 'cost'] as const).flatMap((limit): DaySpent[] => [
    { limit, of: 'contact' },
    { limit, of: 'agent' },
    { limit, of: 'project' },
  ]);
  return limits.find((spent) => wordsOfSpent(spent) === message) ?? null;
}

export type DayLimits = DayParts;

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

/** The daily limits; null when there are none, so usage need not be read. */
export function dayLimits(
  settings: EngineSettings,
  caps: AgentCaps,
  { day_tokens, day_cost_micros }: Pick<ProjectLimitsDto, 'day_tokens' | 'day_cost_micros'>,
): DayLimits | null {
  const limits = {
    all: {
      tokens: lower(settings.DAY_MAX_TOKENS, caps.day_tokens),
      costMicros: lower(settings.DAY_MAX_COST_MICROS, caps.day_cost_micros),
    },
    contact: {
      tokens: lower(settings.CONTACT_DAY_MAX_TOKENS, caps.contact_day_tokens),
      costMicros: lower(settings.CONTACT_DAY_MAX_COST_MICROS, caps.contact_day_cost_micros),
    },
    project: { tokens: lower(0, day_tokens ?? undefined), costMicros: lower(0, day_cost_micros ?? undefined) },
  };
  const values = Object.values(limits).flatMap(({ tokens, costMicros }) => [tokens, costMicros]);
  return values.some(Number.isFinite) ? limits : null;
}

/** @returns the turn's limits, lowered to what is left of the day; or the limit of the day that is reached */
export function withinDay(
  limits: TurnLimits,
  day: DayLimits,
  used: DayLimits,
  isContact: boolean,
): TurnLimits | DaySpent {
  const parts: (keyof DayLimits)[] = isContact ? ['contact', 'all', 'project'] : ['all', 'project'];
  const left = (what: keyof DayUse): number => Math.min(...parts.map((part) => day[part][what] - used[part][what]));
  for (const what of ['tokens', 'costMicros'] as const) {
    const of = parts.find((part) => day[part][what] - used[part][what] <= 0);
    if (of) return { limit: what === 'tokens' ? 'tokens' : 'cost', of: of === 'all' ? 'agent' : of };
  }
  const [tokens, costMicros] = [left('tokens'), left('costMicros')];
  return { ...limits, tokens: Math.min(limits.tokens, tokens), costMicros: Math.min(limits.costMicros, costMicros) };
}

function lower(setting: number, cap: number | undefined): number {
  return Math.min(setting || Number.POSITIVE_INFINITY, cap ?? Number.POSITIVE_INFINITY);
}
