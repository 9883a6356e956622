/** Per million tokens, in the installation's currency. */
export interface ModelPrice {
  input: number;
  output: number;
}

/** Costs of model calls. The price of a million tokens equals the price of one token in millionths. */
export class ModelPrices {
  constructor(private readonly prices: Record<string, ModelPrice>) {}

  /** In millionths; 0 for a model without a price. */
  costMicros(model: string, inputTokens: number, outputTokens: number): number {
    const price = Object.hasOwn(this.prices, model) ? this.prices[model] : undefined;
    return price ? Math.ceil(inputTokens * price.input + outputTokens * price.output) : 0;
  }
}

/** Reads `{"<model>": {"input": 0.5, "output": 1.5}}`. @throws Error that says what is wrong */
export function readPrices(value: unknown): Record<string, ModelPrice> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('MODEL_PRICES is not an object');
  for (const [model, price] of Object.entries(value)) {
    const { input, output } = (price ?? {}) as Partial<ModelPrice>;
    if (![input, output].every((each) => typeof each === 'number' && each >= 0)) {
      throw new Error(`MODEL_PRICES: ${model} needs "input" and "output", numbers from 0`);
    }
  }
  return value as Record<string, ModelPrice>;
}
