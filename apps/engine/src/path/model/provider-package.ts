import type { EmbeddingModel, LanguageModel } from 'ai';
import { addressOf, type ProviderAccess } from './provider-kind.js';
import type { Fetch } from './model-fetch.js';
import { vertexToken } from './vertex-token.js';

/** What a package makes of a model's name. */
interface Makes {
  chat: (model: string) => Exclude<LanguageModel, string>;
  /** Null: the provider has no embeddings. */
  embedding: ((model: string) => Exclude<EmbeddingModel, string>) | null;
}

/**
 * A model of a provider by its package of the AI SDK.
 * @param fetch for calls of the model
 * @param plainFetch for what comes before them
 */
export async function providerModel(
  access: ProviderAccess,
  model: string,
  fetch: Fetch,
  plainFetch: Fetch,
): Promise<ReturnType<Makes['chat']>> {
  return (await packageOf(access, fetch, plainFetch)).chat(model);
}

/** As `providerModel`, for a model that puts texts into vectors; null: the provider's kind has none. */
export async function providerEmbeddings(
  access: ProviderAccess,
  model: string,
  fetch: Fetch,
): Promise<Exclude<EmbeddingModel, string> | null> {
  return (await packageOf(access, fetch, fetch)).embedding?.(model) ?? null;
}

/**
 * The package is loaded at the first use. Every setting is given: a package that misses one looks for it in the
 * environment of the process, which is the installation's and not the project's.
 */
async function packageOf(access: ProviderAccess, fetch: Fetch, plainFetch: Fetch): Promise<Makes> {
  const { kind, key } = access;
  const baseURL = addressOf(access);
  const apiKey = key?.['api_key'] ?? '';
  switch (kind) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      const made = createOpenAI({ baseURL, apiKey, fetch });
      return { chat: (model) => made.chat(model), embedding: (model) => made.embeddingModel(model) };
    }
    case 'azure': {
      const { createAzure } = await import('@ai-sdk/azure');
      const made = createAzure({ baseURL, apiKey, fetch });
      return { chat: (model) => made.chat(model), embedding: (model) => made.embeddingModel(model) };
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return { chat: createAnthropic({ baseURL, apiKey, fetch }), embedding: null };
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google');
      const made = createGoogle({ baseURL, apiKey, fetch });
      return { chat: made, embedding: (model) => made.embeddingModel(model) };
    }
    case 'google-vertex': {
      const { createGoogleVertex } = await import('@ai-sdk/google-vertex/edge');
      const token = await vertexToken(key ?? {}, plainFetch);
      // With an API key, the package takes the address as given and asks nobody for a token.
      const made = createGoogleVertex({ baseURL, apiKey: token, fetch: bearing(token, fetch) });
      return { chat: made, embedding: (model) => made.embeddingModel(model) };
    }
    case 'amazon-bedrock': {
      const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
      const made = createAmazonBedrock({
        baseURL,
        apiKey,
        fetch,
        region: access.region ?? '',
        credentialProvider: () =>
          Promise.resolve({
            accessKeyId: key?.['access_key_id'] ?? '',
            secretAccessKey: key?.['secret_access_key'] ?? '',
            ...(key?.['session_token'] === undefined ? {} : { sessionToken: key['session_token'] }),
          }),
      });
      return { chat: made, embedding: (model) => made.embeddingModel(model) };
    }
    case 'mistral': {
      const { createMistral } = await import('@ai-sdk/mistral');
      const made = createMistral({ baseURL, apiKey, fetch });
      return { chat: made, embedding: (model) => made.embeddingModel(model) };
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const made = createOpenAICompatible({
        name: 'model',
        baseURL,
        fetch,
        includeUsage: true,
        supportsStructuredOutputs: true,
        ...(apiKey ? { apiKey } : {}),
      });
      return { chat: made, embedding: (model) => made.embeddingModel(model) };
    }
  }
}

function bearing(token: string, fetch: Fetch): Fetch {
  return (url, init) => {
    const headers = new Headers(init?.headers);
    headers.delete('x-goog-api-key');
    headers.set('authorization', `Bearer ${token}`);
    return fetch(url, { ...init, headers });
  };
}
