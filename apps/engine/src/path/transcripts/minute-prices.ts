import type { ListPrice } from '../model/model-settings.js';
import { addressOf, type ProviderPlace } from '../model/provider-kind.js';

/** What a provider lists for a minute of audio, in US dollars. */
export interface MinutePrice extends Pick<ListPrice, 'date' | 'source'> {
  minute: number;
}

const openai = 'https://platform.openai.com/docs/pricing';

/** By host and model: model, day on which the provider began to list it, price of a minute. */
const listed: Readonly<Record<string, { source: string; prices: readonly (readonly [string, string, number])[] }>> = {
  'api.openai.com': {
    source: openai,
    prices: [
      ['whisper-1', '2023-03-01', 0.006],
      ['gpt-4o-transcribe', '2025-03-20', 0.006],
      ['gpt-4o-mini-transcribe', '2025-03-20', 0.003],
    ],
  },
};

/** @returns null where the model is not known, or somebody else serves it: their price may be another */
export function minutePriceOf(place: ProviderPlace, model: string): MinutePrice | null {
  const { source = '', prices = [] } = listed[new URL(addressOf(place)).host] ?? {};
  const found = prices.find(([name]) => name === model);
  return found ? { minute: found[2], date: found[1], source } : null;
}
