import type { LanguageModel } from 'ai';
import { addressOf, type ProviderAccess } from './provider-kind.js';
import type { Fetch } from './model-fetch.js';
import { vertexToken } from './vertex-token.js';

/**
 * A model of a provider by its package of the AI SDK, which is loaded at the first use. Every setting is given: a
 * package that misses one looks for it in the environment of the process, which is the installation's and not the
 * project's.
 * @param fetch for calls of the model
 * @param plainFetch for what comes before them
 */
export async function providerModel(
  access: ProviderAccess,
  model: string,
  fetch: Fetch,
  plainFetch: Fetch,
): Promise<Exclude<LanguageModel, string>> {
  const { kind, key } = access;
  const baseURL = addressOf(access);
  const apiKey = key?.['api_key'] ?? '';
  switch (kind) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI({ baseURL, apiKey, fetch }).chat(model);
    }
    case 'azure': {
      const { createAzure } = await import('@ai-sdk/azure');
      return createAzure({ baseURL, apiKey, fetch }).chat(model);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ baseURL, apiKey, fetch })(model);
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google');
      return createGoogle({ baseURL, apiKey, fetch })(model);
    }
    case 'google-vertex': {
      const { createGoogleVertex } = await import('@ai-sdk/google-vertex/edge');
      const token = await vertexToken(key ?? {}, plainFetch);
      // With an API key, the package takes the address as given and asks nobody for a token.
      return createGoogleVertex({ baseURL, apiKey: token, fetch: bearing(token, fetch) })(model);
    }
    case 'amazon-bedrock': {
      const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
      return createAmazonBedrock({
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
      })(model);
    }
    case 'mistral': {
      const { createMistral } = await import('@ai-sdk/mistral');
      return createMistral({ baseURL, apiKey, fetch })(model);
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      return createOpenAICompatible({
        name: 'model',
        baseURL,
        fetch,
        includeUsage: true,
        supportsStructuredOutputs: true,
        ...(apiKey ? { apiKey } : {}),
      })(model);
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
