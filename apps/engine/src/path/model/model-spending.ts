import { Metrics } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { Counter, Histogram } from 'prom-client';
import type { ListPrice, ModelPrice } from './model-settings.js';
import type { Spent } from '../steps/step-log.js';
import type { Completion } from './model.js';

/** A price for a million tokens, and whose it is. Null: as any input. */
export type KnownPrice = Pick<ListPrice, 'input' | 'output' | 'cached' | 'cache_write'> & {
  /** When the provider began to list it, and where; null: the installation has set it. */
  listed: Pick<ListPrice, 'date' | 'source'> | null;
};

/** Costs of model calls. The price of a million tokens equals the price of one token in millionths. */
export class ModelPrices {
  /** @param currency list prices are in dollars, and are not converted */
  constructor(
    private readonly prices: Record<string, ModelPrice>,
    private readonly currency: string,
  ) {}

  /** The installation's own price, else the provider's; null: none is known. */
  priceOf(model: string, listPrice: ListPrice | null = null): KnownPrice | null {
    const own = Object.hasOwn(this.prices, model) ? this.prices[model] : undefined;
    if (own)
      return { input: own.input, output: own.output, cached: own.cached ?? null, cache_write: null, listed: null };
    if (!listPrice || this.currency !== 'USD') return null;
    const { date, source, ...price } = listPrice;
    return { ...price, listed: { date, source } };
  }

  /** In millionths; 0 for a model without a price. */
  costMicros(used: Tokens): number {
    const { model, listPrice, input_tokens, output_tokens, cached_tokens = 0, cache_write_tokens = 0 } = used;
    const price = this.priceOf(model, listPrice);
    if (!price) return 0;
    const { input, cached, cache_write } = price;
    const uncached = Math.max(0, input_tokens - cached_tokens - cache_write_tokens);
    const read = uncached * input + cached_tokens * (cached ?? input) + cache_write_tokens * (cache_write ?? input);
    return Math.ceil(read + output_tokens * price.output);
  }

  /** Of audio that was transcribed, in millionths; 0 without a price. @param listed what the provider lists for a minute */
  audioMicros(model: string, seconds: number, listed: { minute: number } | null): number {
    const own = Object.hasOwn(this.prices, model) ? this.prices[model]?.minute : undefined;
    const minute = own ?? (this.currency === 'USD' ? listed?.minute : undefined) ?? 0;
    return Math.ceil((minute * 1_000_000 * seconds) / 60);
  }

  spentBy(used: Tokens): Spent {
    const { model, input_tokens, output_tokens } = used;
    return { model, input_tokens, output_tokens, cost_micros: this.costMicros(used) };
  }

  /** What a step says of its cost: which list price it is from, or that no price is known. */
  basisOf({ model, listPrice, input_tokens, output_tokens }: Tokens): Record<string, unknown> {
    const price = this.priceOf(model, listPrice);
    if (price) return price.listed ? { list_price: price.listed } : {};
    return input_tokens + output_tokens > 0 ? { unpriced: true } : {};
  }
}

type Tokens = Pick<
  Completion,
  'model' | 'input_tokens' | 'output_tokens' | 'cached_tokens' | 'cache_write_tokens' | 'listPrice'
>;

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
      help: 'Cost of models by MODEL_PRICES or list prices, in MODEL_CURRENCY; calls of models without a price count as 0',
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
