import type { ListPrice } from './model-settings.js';
import { addressOf, type ProviderPlace } from './provider-kind.js';

interface Listed {
  host: string;
  source: string;
  /** Model, date, input, output, cached, cache write. */
  prices: readonly (readonly [string, string, number, number, number?, number?])[];
}

/**
 * List prices of well-known models, those of embeddings too, at the addresses of those who make them. Models whose price
 * depends on the length of the prompt are left out: one number would be wrong. Dated names of Anthropic
 * (`claude-sonnet-4-5-20250929`) have the price of the name without. Those of embeddings were compared on 2026-11-29, two of
 * them only with lists of others: text-embedding-ada-002 and gemini-embedding-001.
 */
const listed: readonly Listed[] = [
  {
    host: 'api.openai.com',
    source: 'https://platform.openai.com/docs/pricing',
    prices: [
      ['gpt-5', '2025-08-07', 1.25, 10, 0.125],
      ['gpt-5-mini', '2025-08-07', 0.25, 2, 0.025],
      ['gpt-5-nano', '2025-08-07', 0.05, 0.4, 0.005],
      ['o3', '2025-06-10', 2, 8, 0.5],
      ['o4-mini', '2025-04-16', 1.1, 4.4, 0.275],
      ['gpt-4.1', '2025-04-14', 2, 8, 0.5],
      ['gpt-4.1-mini', '2025-04-14', 0.4, 1.6, 0.1],
      ['gpt-4.1-nano', '2025-04-14', 0.1, 0.4, 0.025],
      ['gpt-4o', '2024-10-01', 2.5, 10, 1.25],
      ['gpt-4o-mini', '2024-10-01', 0.15, 0.6, 0.075],
      ['text-embedding-3-small', '2024-01-25', 0.02, 0],
      ['text-embedding-3-large', '2024-01-25', 0.13, 0],
      ['text-embedding-ada-002', '2023-06-13', 0.1, 0],
    ],
  },
  {
    host: 'api.anthropic.com',
    source: 'https://platform.claude.com/docs/en/about-claude/pricing',
    prices: [
      ['claude-opus-4-6', '2026-02-05', 5, 25, 0.5, 6.25],
      ['claude-opus-4-5', '2025-11-24', 5, 25, 0.5, 6.25],
      ['claude-haiku-4-5', '2025-10-15', 1, 5, 0.1, 1.25],
      ['claude-sonnet-4-5', '2025-09-29', 3, 15, 0.3, 3.75],
      ['claude-opus-4-1', '2025-08-05', 15, 75, 1.5, 18.75],
    ],
  },
  {
    host: 'generativelanguage.googleapis.com',
    source: 'https://ai.google.dev/gemini-api/docs/pricing',
    prices: [
      ['gemini-2.5-flash-lite', '2025-07-22', 0.1, 0.4],
      ['gemini-2.5-flash', '2025-06-17', 0.3, 2.5],
      ['gemini-embedding-001', '2025-07-14', 0.15, 0],
    ],
  },
];

const byPlace = new Map(
  listed.flatMap(({ host, source, prices }) =>
    prices.map(([model, date, input, output, cached = null, cache_write = null]): [string, ListPrice] => [
      `${host} ${model}`,
      { input, output, cached, cache_write, date, source },
    ]),
  ),
);

/** @returns null where the model is not known, or somebody else serves it: their price may be another */
export function listPriceOf(place: ProviderPlace, model: string): ListPrice | null {
  const { host } = new URL(addressOf(place));
  return byPlace.get(`${host} ${model.replace(/-\d{8}$/, '')}`) ?? null;
}
