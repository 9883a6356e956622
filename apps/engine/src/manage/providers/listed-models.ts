import { ModelError } from '../../path/model/model.js';
import type { Fetch } from '../../path/model/model-fetch.js';
import { addressOf, type ProviderAccess } from '../../path/model/provider-kind.js';

const maxListed = 500;

/**
 * The names of a provider's models, as it lists them; null: its kind has no list that a key of it may read.
 * @throws ModelError
 */
export async function listedModels(
  access: ProviderAccess,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<string[] | null> {
  const request = requestOf(access);
  if (!request) return null;
  const response = await fetch(request.url, { headers: request.headers, signal });
  if (!response.ok) throw new ModelError('model_rejected', `its list of models answered ${response.status}`);
  const body: unknown = await response.json().catch(() => null);
  const list = Array.isArray(body) ? body : fieldOf(body, 'data', 'models');
  if (!Array.isArray(list)) throw new ModelError('model_malformed', 'its list of models could not be read');
  const names = list.flatMap((each: unknown): string[] => {
    const name: unknown = typeof each === 'string' ? each : fieldOf(each, 'id', 'name');
    return typeof name === 'string' ? [name.replace(/^models\//, '').slice(0, 200)] : [];
  });
  return [...new Set(names)].toSorted().slice(0, maxListed);
}

function fieldOf(value: unknown, ...names: string[]): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Record<string, unknown>;
  return names.map((name) => fields[name]).find((each) => each !== undefined);
}

function requestOf(access: ProviderAccess): { url: string; headers: Record<string, string> } | null {
  const address = addressOf(access);
  const key = access.key?.['api_key'] ?? '';
  switch (access.kind) {
    case 'openai':
    case 'mistral':
    case 'openai-compatible':
      return { url: `${address}/models`, headers: key ? { authorization: `Bearer ${key}` } : {} };
    case 'azure':
      return { url: `${address}/v1/models`, headers: { 'api-key': key } };
    case 'anthropic':
      return { url: `${address}/models?limit=1000`, headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' } };
    case 'google':
      return { url: `${address}/models?pageSize=1000`, headers: { 'x-goog-api-key': key } };
    case 'google-vertex':
    case 'amazon-bedrock':
      return null;
  }
}
