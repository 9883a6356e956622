/** The protocols that a provider may speak, each by a package of the AI SDK. */
export const providerKinds = [
  'openai',
  'anthropic',
  'google',
  'google-vertex',
  'amazon-bedrock',
  'azure',
  'mistral',
  'openai-compatible',
] as const;
export type ProviderKind = (typeof providerKinds)[number];

/** The values of one key, by field. They are in memory for the calls that need them, and in no log and no step. */
export type ProviderKey = Readonly<Record<string, string>>;

/** Where a provider is reached, besides its key. */
export interface ProviderPlace {
  kind: ProviderKind;
  /** Null: the provider's public address. */
  baseUrl: string | null;
  /** Of Bedrock and Vertex. */
  region: string | null;
  /** The project of Vertex. */
  cloudProject: string | null;
}

/** A provider as one call uses it; null: it needs no key. */
export interface ProviderAccess extends ProviderPlace {
  key: ProviderKey | null;
}

/** Those that speak OpenAI's `POST /audio/transcriptions`. */
export const transcribingKinds: readonly ProviderKind[] = ['openai', 'azure', 'mistral', 'openai-compatible'];

interface KindRules {
  /** Null: the address has to be given. */
  address: (place: ProviderPlace) => string | null;
  needs: readonly ('baseUrl' | 'region' | 'cloudProject')[];
  /** Fields of a key, by alternatives. An alternative without fields: a key may be absent. */
  keys: readonly (readonly string[])[];
}

const oneKey = [['api_key']];

/** What each kind needs. An address is always passed on: the packages would read one from the process's environment. */
export const kindRules: Readonly<Record<ProviderKind, KindRules>> = {
  openai: { address: () => 'https://api.openai.com/v1', needs: [], keys: oneKey },
  anthropic: { address: () => 'https://api.anthropic.com/v1', needs: [], keys: oneKey },
  google: { address: () => 'https://generativelanguage.googleapis.com/v1beta', needs: [], keys: oneKey },
  'google-vertex': {
    address: ({ region, cloudProject }) =>
      `https://${vertexHost(region ?? 'global')}/v1beta1/projects/${encodeURIComponent(cloudProject ?? '')}` +
      `/locations/${region ?? 'global'}/publishers/google`,
    needs: ['region', 'cloudProject'],
    keys: [['service_account'], ['client_email', 'private_key'], ['access_token']],
  },
  'amazon-bedrock': {
    address: ({ region }) =>
      `https://bedrock-runtime.${region ?? ''}.amazonaws.com${region?.startsWith('cn-') ? '.cn' : ''}`,
    needs: ['region'],
    keys: [['access_key_id', 'secret_access_key'], ['api_key']],
  },
  azure: { address: () => null, needs: ['baseUrl'], keys: oneKey },
  mistral: { address: () => 'https://api.mistral.ai/v1', needs: [], keys: oneKey },
  'openai-compatible': { address: () => null, needs: ['baseUrl'], keys: [['api_key'], []] },
};

/** @returns an address without a slash at its end. @throws Error when none was given and the kind has none of its own */
export function addressOf(place: ProviderPlace): string {
  const address = place.baseUrl ?? kindRules[place.kind].address(place);
  if (address === null) throw new Error(`a provider of the kind ${place.kind} needs a base URL`);
  return address.replace(/\/+$/, '');
}

function vertexHost(region: string): string {
  if (region === 'global') return 'aiplatform.googleapis.com';
  return region === 'eu' || region === 'us'
    ? `aiplatform.${region}.rep.googleapis.com`
    : `${region}-aiplatform.googleapis.com`;
}
