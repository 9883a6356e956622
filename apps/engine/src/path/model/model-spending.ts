import { Metrics } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { Counter, Histogram } from 'prom-client';
import type { ModelPrice } from './model-settings.js';
import type { Spent } from '../steps/step-log.js';
import type { Completion } from './model.js';

/** Costs of model calls. The price of a million tokens equals the price of one token in millionths. */
export class ModelPrices {
  constructor(private readonly prices: Record<string, ModelPrice>) {}

  /** In millionths; 0 for a model without a price. */
  costMicros(model: string, inputTokens: number, outputTokens: number): number {
    const price = Object.hasOwn(this.prices, model) ? this.prices[model] : undefined;
    return price ? Math.ceil(inputTokens * price.input + outputTokens * price.output) : 0;
  }

  spentBy({ model, input_tokens, output_tokens }: Tokens): Spent {
    return { model, input_tokens, output_tokens, cost_micros: this.costMicros(model, input_tokens, output_tokens) };
  }
}

type Tokens = Pick<Completion, 'model' | 'input_tokens' | 'output_tokens'>;

/** Metrics of model calls, not labelled by model: agents may name any model, and each would be a new series. */
@Injectable()
export class ModelSpending {
  private readonly seconds: Histogram<'outcome'>;
  private readonly tokens: Counter<'kind'>;
  private readonly cost: Counter;

  constructor({ registry }: Metrics) {
    const registers = [registry];
    this.seconds = new Histogram({
      name: 'gatehouse_model_call_seconds',
      help: 'Calls of models by outcome: ok, or the code of the error',
      labelNames: ['outcome'],
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
      registers,
    });
    this.tokens = new Counter({
      name: 'gatehouse_model_tokens_total',
      help: 'Tokens by kind: input, output',
      labelNames: ['kind'],
      registers,
    });
    this.cost = new Counter({
      name: 'gatehouse_model_cost_total',
      help: 'Cost of models by MODEL_PRICES, in their currency; calls of models without a price count as 0',
      registers,
    });
  }

  ended(outcome: string, durationMs: number): void {
    this.seconds.observe({ outcome }, durationMs / 1_000);
  }

  spent({ input_tokens, output_tokens, cost_micros }: Spent): void {
    this.tokens.inc({ kind: 'input' }, input_tokens);
    this.tokens.inc({ kind: 'output' }, output_tokens);
    this.cost.inc(cost_micros / 1_000_000);
  }
}
