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

interface DayLimits {
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

/** The turn's limits, lowered to what is left of the day; null when nothing is left. */
export function withinDay(limits: TurnLimits, day: DayLimits, used: DayLimits, isContact: boolean): TurnLimits | null {
  const parts: (keyof DayLimits)[] = isContact ? ['all', 'contact'] : ['all'];
  const tokens = Math.min(...parts.map((part) => day[part].tokens - used[part].tokens));
  const costMicros = Math.min(...parts.map((part) => day[part].costMicros - used[part].costMicros));
  if (tokens <= 0 || costMicros <= 0) return null;
  return { ...limits, tokens: Math.min(limits.tokens, tokens), costMicros: Math.min(limits.costMicros, costMicros) };
}

function lower(setting: number, cap: number | undefined): number {
  return Math.min(setting || Number.POSITIVE_INFINITY, cap ?? Number.POSITIVE_INFINITY);
}
