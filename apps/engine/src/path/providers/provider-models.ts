import type { ProjectScope } from '#libs/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { callLimits, ConfiguredModels } from '../model/configured-models.js';
import { EndpointModel } from '../model/endpoint-model.js';
import { type Fetch, modelEgress, modelFetch, modelStream } from '../model/model-fetch.js';
import { type Candidate, ModelChain } from '../model/model-chain.js';
import { type Model, ModelError, type ModelNames, type Models } from '../model/model.js';
import { listPriceOf } from '../model/price-list.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { ProviderDirectory } from './provider-directory.js';
import { ProviderKeys } from './provider-keys.js';
import { placeOf, type Provider } from '../../entities/provider.entity.js';

const maxKept = 5_000;

/**
 * The models that agents name: `<provider>/<model>` of the project's own providers, any other name at the installation's
 * endpoint. An agent that names none has the project's default model, else the installation's.
 */
@Injectable()
export class ProviderModels implements Models {
  readonly fetch: Fetch;
  private readonly stream: Fetch;
  /** By provider, its last change, model and key: each has a breaker of its own. */
  private readonly kept = new Map<string, Model>();

  constructor(
    private readonly directory: ProviderDirectory,
    private readonly keys: ProviderKeys,
    private readonly configured: ConfiguredModels,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {
    const egress = modelEgress(settings.GATEHOUSE_EGRESS_ALLOW, settings);
    const limits = { timeoutMs: settings.MODEL_TIMEOUT_MS, maxBytes: settings.MODEL_ANSWER_BYTES };
    this.fetch = modelFetch(egress, limits);
    this.stream = modelStream(egress, limits);
  }

  async forTurn(owner: ProjectScope, { model, fallbacks }: ModelNames): Promise<Model> {
    const providers = await this.directory.of(owner);
    const first = this.candidatesOf(providers, model);
    const own = first.some(({ provider }) => provider === null) ? this.settings.MODEL_FALLBACK_NAME : null;
    const others = fallbacks.length > 0 || !own ? fallbacks : [own];
    const chain = [first, ...others.map((name) => this.candidatesOf(providers, name))].flat();
    return new ModelChain(chain);
  }

  /** A model with each key of its provider. @throws ModelError `model_rejected` */
  private candidatesOf(providers: Provider[], name: string | null): Candidate[] {
    const found = namedModel(providers, name, this.configured.configured);
    if (found) return this.withKeys(found.provider, found.model);
    if (name?.includes('/') && providers.length > 0 && !this.configured.configured) {
      const known = providers.map((provider) => provider.name).join(', ');
      const why = `there is no provider ${name.split('/')[0]} in this project; there are ${known}`;
      throw new ModelError('model_rejected', why, { permanent: true, blame: 'model' });
    }
    return [this.configured.named(name)];
  }

  private withKeys(provider: Provider, model: string): Candidate[] {
    const name = `${provider.name}/${model}`;
    const ids: (string | null)[] = provider.credential_ids.length > 0 ? provider.credential_ids : [null];
    return ids.map((key) => ({ name, provider: provider.id, key, model: this.endpoint(provider, model, name, key) }));
  }

  private endpoint(provider: Provider, model: string, name: string, key: string | null): Model {
    const kept = JSON.stringify([provider.id, provider.updated_at, model, key]);
    let endpoint = this.kept.get(kept);
    if (!endpoint) {
      const access = async () => ({
        ...placeOf(provider),
        key: key === null ? null : await this.keys.read(provider, key),
      });
      const { fetch, stream } = this;
      const listPrice = listPriceOf(placeOf(provider), model);
      endpoint = new EndpointModel({ access, model, name, listPrice, fetch, stream, ...callLimits(this.settings) });
      if (this.kept.size >= maxKept) this.kept.clear();
      this.kept.set(kept, endpoint);
    }
    return endpoint;
  }
}

/**
 * What a name means among a project's providers.
 * @param isConfigured there is an endpoint of the installation, whose names may have a slash or none
 * @returns null: the name is the installation's
 */
export function namedModel(
  providers: Provider[],
  name: string | null,
  isConfigured: boolean,
): { provider: Provider; model: string } | null {
  const slash = name?.indexOf('/') ?? -1;
  const named = slash > 0 ? providers.find((provider) => provider.name === name?.slice(0, slash)) : undefined;
  if (name !== null && named) return { provider: named, model: name.slice(slash + 1) };
  const usual = providers.find((provider) => provider.default_model !== null);
  if (!usual || usual.default_model === null) return null;
  if (name === null) return { provider: usual, model: usual.default_model };
  return slash === -1 && !isConfigured ? { provider: usual, model: name } : null;
}
