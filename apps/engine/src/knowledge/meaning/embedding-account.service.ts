import type { ProjectScope } from '#libs/contracts';
import { ProjectLimits } from '#libs/project-limits';
import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { ListPrice } from '../../path/model/model-settings.js';
import { ModelPrices, ModelSpending } from '../../path/model/model-spending.js';
import { type DayState, DayUsageRepository, type DayUse } from '../../path/usage/day-usage.repository.js';
import {
  accountOf,
  type BudgetLimits,
  budgetLimits,
  isLimited,
  roomIn,
  wordsOfSpent,
} from '../../path/turns/turn-budget.service.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import type { Asker } from '../document-search.repository.js';
import { EmbeddingUsageRepository } from './embedding-usage.repository.js';

/** Whose turn asks; null: the project itself, for its documents or for a person who searches. */
export type Payer = Asker['payer'];

/** A model as usage and prices name it. */
export interface NamedModel {
  name: string;
  listPrice: ListPrice | null;
}

/** What an endpoint made, and the tokens that it counted; null: it does not say. */
export interface Embedded {
  vectors: Float32Array[];
  tokens: number | null;
}

/** Nothing was asked: a budget has no room for it. */
export class EmbeddingUnpaid extends Error {
  override readonly name = 'EmbeddingUnpaid';
  /** @param message for people, and for the model of an agent */
  constructor(
    readonly code: 'day_budget_spent' | 'month_budget_spent' | 'day_reserved' | 'budget_too_small',
    message: string,
  ) {
    super(message);
  }
}

const charsPerToken = 4;

/** Pays for embeddings: reserves what a request may cost, asks, and counts what it did cost. */
@Injectable()
export class EmbeddingAccount {
  constructor(
    private readonly days: DayUsageRepository,
    private readonly usage: EmbeddingUsageRepository,
    private readonly prices: ModelPrices,
    private readonly spending: ModelSpending,
    private readonly projects: ProjectLimits,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** @throws EmbeddingUnpaid before anything is asked; what `ask` throws, and then nothing is counted */
  async pay(
    owner: ProjectScope,
    payer: Payer,
    model: NamedModel,
    texts: readonly string[],
    ask: () => Promise<Embedded>,
  ): Promise<Float32Array[]> {
    const expected = Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / charsPerToken);
    const hold = await this.reserve(owner, payer, this.used(model, expected));
    try {
      const { vectors, tokens } = await ask();
      const { tokens: input_tokens, costMicros: cost_micros } = this.used(model, tokens ?? expected);
      const spent = { model: model.name, input_tokens, output_tokens: 0, cost_micros };
      await this.usage.count(owner, payer, spent);
      this.spending.spent(spent);
      return vectors;
    } finally {
      if (hold !== null) await this.days.release(hold);
    }
  }

  private used({ name, listPrice }: NamedModel, tokens: number): DayUse {
    const listed = listPrice === null ? {} : { listPrice };
    const costMicros = this.prices.costMicros({ model: name, input_tokens: tokens, output_tokens: 0, ...listed });
    return { tokens, costMicros };
  }

  /** @returns what is reserved, to be released; null: no budget holds */
  private async reserve(owner: ProjectScope, payer: Payer, wanted: DayUse): Promise<string | null> {
    const budgets = await this.budgetsOf(owner, payer);
    if (budgets === null) return null;
    const account = accountOf({ id: payer?.agentId ?? '' }, { ...owner, contactId: payer?.contactId ?? null }, budgets);
    const id = randomUUID();
    const forMs = this.settings.MODEL_TIMEOUT_MS + this.settings.SWEEP_EVERY_MS;
    await this.days.hold({ id, forMs }, account, (state) => {
      const { used, room } = roomIn(budgets, state, account.contactId !== null);
      if ('of' in used) throw new EmbeddingUnpaid(`${used.span}_budget_spent`, wordsOfSpent(used));
      if (holds(room, wanted)) return wanted;
      if (holds(roomIn(budgets, unused, account.contactId !== null).room, wanted))
        throw new EmbeddingUnpaid('day_reserved', tooLittle);
      throw new EmbeddingUnpaid('budget_too_small', tooSmall);
    });
    return id;
  }

  private async budgetsOf(owner: ProjectScope, payer: Payer): Promise<BudgetLimits | null> {
    const project = this.projects.of(owner.projectId);
    if (payer === null) return ofProjectAlone(budgetLimits(this.settings, {}, project));
    return budgetLimits(this.settings, await this.usage.capsOf(owner, payer.agentId), project);
  }
}

const tooLittle = 'what is left of the budget, beside what turns have reserved, is less than the next request may use';

const tooSmall = 'a limit of the day or the month is less than one request may use, so no wait makes room for it';

function holds(room: ReturnType<typeof roomIn>['room'], { tokens, costMicros }: DayUse): boolean {
  return !('of' in room) && room.tokens >= tokens && room.costMicros >= costMicros;
}

const nothing: DayUse = { tokens: 0, costMicros: 0 };
const noParts = { all: nothing, contact: nothing, project: nothing };
/** What a limit leaves at its beginning is the limit itself. */
const unused: DayState = { used: { day: noParts, month: noParts }, held: noParts };

/** Limits of agents and contacts are not for what belongs to none. */
function ofProjectAlone(budgets: BudgetLimits | null): BudgetLimits | null {
  if (budgets === null) return null;
  const alone = ({ project }: BudgetLimits['day']) => ({ all: unbounded, contact: unbounded, project });
  return [budgets.day.project, budgets.month.project].some(isLimited)
    ? { day: alone(budgets.day), month: alone(budgets.month) }
    : null;
}

const unbounded: DayUse = { tokens: Number.POSITIVE_INFINITY, costMicros: Number.POSITIVE_INFINITY };
