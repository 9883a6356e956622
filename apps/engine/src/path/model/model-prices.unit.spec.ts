import { usageOf } from './answer-usage.js';
import { ModelPrices } from './model-spending.js';
import { listPriceOf } from './price-list.js';
import type { ProviderPlace } from './provider-kind.js';

const anthropic: ProviderPlace = { kind: 'anthropic', baseUrl: null, region: null, cloudProject: null };
const listPrice = listPriceOf(anthropic, 'claude-haiku-4-5');
if (!listPrice) throw new Error('the list has the model');
const model = 'mine/claude-haiku-4-5';
const million = { model, input_tokens: 1_000_000, output_tokens: 1_000_000, listPrice };

describe('prices of models', () => {
  it('are those that the provider lists, also for dated names of a model, with day and source', () => {
    const prices = new ModelPrices({}, 'USD');
    expect(prices.costMicros(million)).toBe(6_000_000);
    expect(prices.basisOf(million)).toEqual({
      list_price: { date: '2025-10-15', source: 'https://platform.claude.com/docs/en/about-claude/pricing' },
    });
    expect(listPriceOf(anthropic, 'claude-haiku-4-5-20251001')).toEqual(listPrice);
  });

  it('count what comes from and goes into the cache at its own price', () => {
    const cached = { ...million, cached_tokens: 500_000, cache_write_tokens: 100_000, output_tokens: 0 };
    expect(new ModelPrices({}, 'USD').costMicros(cached)).toBe(400_000 + 50_000 + 125_000);
  });

  it('are counted for what an endpoint of chat completions reports as cached', () => {
    const reported = { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 4 } };
    expect(usageOf(reported, 0, 0)).toEqual({ input_tokens: 10, output_tokens: 1, cached_tokens: 4, estimated: false });
    const none = { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: null };
    expect(usageOf(none, 0, 0)).toEqual({ input_tokens: 10, output_tokens: 1, estimated: false });
  });

  it('are the installation’s own where it has set one', () => {
    const prices = new ModelPrices({ [model]: { input: 2, output: 3, cached: 1 } }, 'USD');
    expect(prices.costMicros({ ...million, cached_tokens: 500_000 })).toBe(4_500_000);
    expect(prices.basisOf(million)).toEqual({});
  });

  it('are unknown at another address, of another model and in another currency, which the step says', () => {
    expect(listPriceOf({ ...anthropic, baseUrl: 'https://proxy.example/v1' }, 'claude-haiku-4-5')).toBeNull();
    expect(listPriceOf(anthropic, 'claude-haiku-4-5-preview')).toBeNull();
    const prices = new ModelPrices({}, 'EUR');
    expect(prices.costMicros(million)).toBe(0);
    expect(prices.basisOf(million)).toEqual({ unpriced: true });
    expect(prices.basisOf({ ...million, input_tokens: 0, output_tokens: 0 })).toEqual({});
  });
});
