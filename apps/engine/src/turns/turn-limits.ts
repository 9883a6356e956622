import type { AgentCaps } from '../entities/agent.entity.js';
import type { EngineSettings } from '../settings.js';
import type { DayUse } from '../usage/usage.repository.js';

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
  of: 'contact' | 'agent';
}

const spentWords: Record<DaySpent['limit'], Record<DaySpent['of'], string>> = {
  tokens: {
    contact: "the contact's tokens of the day are used up",
    agent: "the agent's tokens of the day are used up",
  },
  cost: { contact: "the contact's cost of the day is used up", agent: "the agent's cost of the day is used up" },
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
  ]);
  return limits.find((spent) => wordsOfSpent(spent) === message) ?? null;
}

export interface DayLimits {
  all: DayUse;
  contact: DayUse;
}

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
export function dayLimits(settings: EngineSettings, caps: AgentCaps): DayLimits | null {
  const limits = {
    all: {
      tokens: lower(settings.DAY_MAX_TOKENS, caps.day_tokens),
      costMicros: lower(settings.DAY_MAX_COST_MICROS, caps.day_cost_micros),
    },
    contact: {
      tokens: lower(settings.CONTACT_DAY_MAX_TOKENS, caps.contact_day_tokens),
      costMicros: lower(settings.CONTACT_DAY_MAX_COST_MICROS, caps.contact_day_cost_micros),
    },
  };
  const values = [limits.all, limits.contact].flatMap(({ tokens, costMicros }) => [tokens, costMicros]);
  return values.some(Number.isFinite) ? limits : null;
}

/** @returns the turn's limits, lowered to what is left of the day; or the limit of the day that is reached */
export function withinDay(
  limits: TurnLimits,
  day: DayLimits,
  used: DayLimits,
  isContact: boolean,
): TurnLimits | DaySpent {
  const parts: (keyof DayLimits)[] = isContact ? ['contact', 'all'] : ['all'];
  const left = (what: keyof DayUse): number => Math.min(...parts.map((part) => day[part][what] - used[part][what]));
  for (const what of ['tokens', 'costMicros'] as const) {
    const of = parts.find((part) => day[part][what] - used[part][what] <= 0);
    if (of) return { limit: what === 'tokens' ? 'tokens' : 'cost', of: of === 'all' ? 'agent' : 'contact' };
  }
  const [tokens, costMicros] = [left('tokens'), left('costMicros')];
  return { ...limits, tokens: Math.min(limits.tokens, tokens), costMicros: Math.min(limits.costMicros, costMicros) };
}

function lower(setting: number, cap: number | undefined): number {
  return Math.min(setting || Number.POSITIVE_INFINITY, cap ?? Number.POSITIVE_INFINITY);
}
