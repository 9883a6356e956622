import { PermanentFailure } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import type { Agent } from '../entities/agent.entity.js';
import { type EngineSettings, SETTINGS } from '../settings.js';
import type { TurnScope } from '../tools/tool.js';
import { UsageRepository } from '../usage/usage.repository.js';
import { dayLimits, type TurnLimits, turnLimits, withinDay, wordsOfSpent } from './turn-limits.js';

/** What a turn may use, given today's usage of its agent and its contact. */
@Injectable()
export class TurnBudget {
  constructor(
    private readonly usage: UsageRepository,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** @throws PermanentFailure `day_budget_spent` */
  async of(agent: Agent, turn: TurnScope): Promise<TurnLimits> {
    const limits = turnLimits(this.settings, agent.caps);
    const day = dayLimits(this.settings, agent.caps);
    if (!day) return limits;
    const used = await this.usage.today(turn.projectId, agent.id, turn.contactId);
    const left = withinDay(limits, day, used, turn.contactId !== null);
    if ('of' in left) throw new PermanentFailure('day_budget_spent', wordsOfSpent(left));
    return left;
  }
}
