import { PermanentFailure, RunLater } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import type { Agent } from '../entities/agent.entity.js';
import type { NextCall } from '../loop/agent-loop.js';
import { ModelPrices } from '../model/model-spending.js';
import { type EngineSettings, SETTINGS } from '../settings.js';
import type { TurnScope } from '../tools/tool.js';
import { BudgetHoldRepository, type DayState } from '../usage/budget-hold.repository.js';
import { type DayUse, UsageRepository } from '../usage/usage.repository.js';
import { type DayLimits, dayLimits, type TurnLimits, turnLimits, withinDay, wordsOfSpent } from './turn-limits.js';

/** For people too: why a turn waits. */
export const reservedCode = 'day_reserved';
const reservedWords =
  'What is left of the budget of the day is reserved by turns that run. The turn continues when one of them ends.';
/** Nobody informs a waiting turn: turns that end are at other replicas too. */
const lookAgainMs = 500;
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
    private readonly usage: UsageRepository,
    private readonly holds: BudgetHoldRepository,
    private readonly prices: ModelPrices,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** @throws PermanentFailure `day_budget_spent` */
  async of(agent: Agent, turn: TurnScope): Promise<TurnAllowance> {
    const limits = turnLimits(this.settings, agent.caps);
    const day = dayLimits(this.settings, agent.caps);
    if (!day) return { limits, reserve: null };
    const used = await this.usage.today(turn.projectId, agent.id, turn.contactId);
    const left = allowed(limits, day, used, turn);
    return { limits: left, reserve: (call) => this.reserve(agent, turn, limits, day, call) };
  }

  /** What it has used is stored, or will be counted by the claim that goes on. */
  async release(turnId: string): Promise<void> {
    if (!this.holding.delete(turnId)) return;
    // That of a turn that does not run counts for nothing, and is deleted with the next reservation of its agent.
    await this.holds.release(turnId).catch(() => undefined);
  }

  private async reserve(
    agent: Agent,
    turn: TurnScope,
    limits: TurnLimits,
    day: DayLimits,
    { inputChars, unstored, first }: NextCall,
  ): Promise<boolean> {
    const input = Math.ceil(inputChars / charsPerToken);
    const output = this.settings.MODEL_MAX_OUTPUT_TOKENS;
    const model = agent.model ?? this.settings.MODEL_NAME ?? '';
    const wanted = {
      tokens: unstored.tokens + 2 * (input + output),
      costMicros: unstored.costMicros + 2 * this.prices.costMicros(model, input, output),
    };
    const account = { projectId: turn.projectId, agentId: agent.id, contactId: turn.contactId };
    let held = false;
    await this.holds.hold(turn.turnId, account, (state) => {
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
      throw new RunLater(lookAgainMs + Math.ceil(Math.random() * lookAgainMs), reservedCode, reservedWords);
    return held;
  }
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
  return { all: sum(used.all, held.all), contact: sum(used.contact, held.contact) };
}
