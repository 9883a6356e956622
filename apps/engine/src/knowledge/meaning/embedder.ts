import type { ProjectScope } from '#libs/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { embedMany } from 'ai';
import { placeOf } from '../../entities/provider.entity.js';
import { modelErrorOf } from '../../path/model/model-error-of.js';
import { type Fetch, modelEgress, modelFetch } from '../../path/model/model-fetch.js';
import { ModelError } from '../../path/model/model.js';
import { listPriceOf } from '../../path/model/price-list.js';
import type { ProviderAccess } from '../../path/model/provider-kind.js';
import { providerEmbeddings } from '../../path/model/provider-package.js';
import { ProviderDirectory } from '../../path/providers/provider-directory.js';
import { ProviderKeys } from '../../path/providers/provider-keys.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { type Embedded, EmbeddingAccount, type NamedModel, type Payer } from './embedding-account.service.js';

/** A model of embeddings. @param provider_id null: at the installation's endpoint */
export interface ChosenModel {
  provider_id: string | null;
  model: string;
}

export type EmbeddedAs = 'question' | 'document';

const mostDimensions = 4_096;
const parallelCalls = 4;

/** What a text is for, as packages of some models name it; the others ignore it. */
const purposes = {
  question: { google: { taskType: 'RETRIEVAL_QUERY' }, bedrock: { inputType: 'search_query' } },
  document: { google: { taskType: 'RETRIEVAL_DOCUMENT' }, bedrock: { inputType: 'search_document' } },
} as const;

interface Keyed {
  fetch: Fetch;
  access: () => Promise<ProviderAccess>;
}

/** Puts texts into vectors by a project's model. */
@Injectable()
export class Embedder {
  private readonly fetch: Fetch;
  private readonly ownFetch: Fetch;

  constructor(
    private readonly directory: ProviderDirectory,
    private readonly keys: ProviderKeys,
    private readonly account: EmbeddingAccount,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {
    const { GATEHOUSE_EGRESS_ALLOW: allow, MODEL_BASE_URL: own, MODEL_TIMEOUT_MS: timeoutMs } = settings;
    const limits = { timeoutMs, maxBytes: settings.MODEL_ANSWER_BYTES };
    this.fetch = modelFetch(modelEgress(allow, settings), limits);
    // The operator has named this address, so it may be a private one.
    this.ownFetch = own ? modelFetch(modelEgress([...allow, new URL(own).host], settings), limits) : this.fetch;
  }

  /**
   * Reserved and counted for whoever pays.
   * @returns a vector of length 1 for each text, all of as many dimensions
   * @throws EmbeddingUnpaid where a budget has no room; ModelError classified as for any model, after the provider's last key has failed
   */
  async embed(
    owner: ProjectScope,
    chosen: ChosenModel,
    texts: string[],
    { as, payer, signal }: { as: EmbeddedAs; payer: Payer; signal: AbortSignal },
  ): Promise<Float32Array[]> {
    const { named, keyed } = await this.opened(owner, chosen);
    return this.account.pay(owner, payer, named, texts, () => this.askAll(keyed, chosen, texts, as, signal));
  }

  private async askAll(
    keyed: readonly Keyed[],
    chosen: ChosenModel,
    texts: string[],
    as: EmbeddedAs,
    signal: AbortSignal,
  ): Promise<Embedded> {
    for (const [at, each] of keyed.entries()) {
      try {
        return await this.ask(each, chosen.model, texts, as, signal);
      } catch (error) {
        const isOfKey = error instanceof ModelError && error.blame === 'key';
        if (!isOfKey || at === keyed.length - 1) throw error;
      }
    }
    throw new Error('a provider is asked with a key or without one');
  }

  private async ask(
    { fetch, access: open }: Keyed,
    name: string,
    texts: string[],
    as: EmbeddedAs,
    signal: AbortSignal,
  ): Promise<Embedded> {
    const access = await open();
    try {
      const model = await providerEmbeddings(access, name, fetch);
      if (model === null) throw rejected(`a provider of the kind ${access.kind} has no embeddings`);
      const options = { maxRetries: 0, maxParallelCalls: parallelCalls, abortSignal: signal };
      const providerOptions = { ...purposes[as] };
      const { embeddings, usage } = await embedMany({ model, values: texts, providerOptions, ...options });
      const tokens = Number.isSafeInteger(usage.tokens) && usage.tokens > 0 ? usage.tokens : null;
      return { vectors: vectorsOf(embeddings, texts.length), tokens };
    } catch (error) {
      if (signal.aborted) throw new ModelError('model_timeout', 'it does not answer in time', { cause: error });
      throw modelErrorOf(error, Object.values(access.key ?? {}));
    }
  }

  private async opened(
    owner: ProjectScope,
    { provider_id: providerId, model }: ChosenModel,
  ): Promise<{ named: NamedModel; keyed: Keyed[] }> {
    if (providerId === null) {
      const own = this.installation();
      const named = { name: model, listPrice: listPriceOf(own, model) };
      return { named, keyed: [{ fetch: this.ownFetch, access: async () => own }] };
    }
    const provider = (await this.directory.of(owner)).find(({ id }) => id === providerId);
    if (!provider) throw rejected('its provider is no longer there: choose another one');
    const ids: (string | null)[] = provider.credential_ids.length > 0 ? provider.credential_ids : [null];
    const keyOf = (id: string | null) => (id === null ? null : this.keys.read(provider, id));
    const place = placeOf(provider);
    return {
      named: { name: `${provider.name}/${model}`, listPrice: listPriceOf(place, model) },
      keyed: ids.map((id) => ({ fetch: this.fetch, access: async () => ({ ...place, key: await keyOf(id) }) })),
    };
  }

  private installation(): ProviderAccess {
    const { MODEL_BASE_URL: baseUrl, MODEL_API_KEY: key } = this.settings;
    if (!baseUrl) throw rejected('this installation has no endpoint of its own (MODEL_BASE_URL): choose a provider');
    const api = key ? { api_key: key } : null;
    return { kind: 'openai-compatible', baseUrl, region: null, cloudProject: null, key: api };
  }
}

function rejected(why: string): ModelError {
  return new ModelError('model_rejected', why, { permanent: true, blame: 'model' });
}

/** @throws ModelError `model_malformed` for what cannot be compared */
function vectorsOf(embeddings: number[][], wanted: number): Float32Array[] {
  const malformed = (why: string): ModelError => new ModelError('model_malformed', why);
  if (embeddings.length !== wanted) throw malformed(`it made ${embeddings.length} vectors of ${wanted} texts`);
  const dimensions = embeddings[0]?.length ?? 0;
  if (dimensions > mostDimensions)
    throw malformed(`its vectors have ${dimensions} dimensions, and at most ${mostDimensions} are compared`);
  return embeddings.map((numbers) => {
    const length = Math.hypot(...numbers);
    if (numbers.length !== dimensions || !Number.isFinite(length) || length === 0)
      throw malformed('one of its vectors is none: it is empty, or of another size than the others');
    return Float32Array.from(numbers, (each) => each / length);
  });
}
