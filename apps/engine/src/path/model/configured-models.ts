import type { EngineSettings } from '../../settings.js';
import { EndpointModel, type EndpointSettings } from './endpoint-model.js';
import type { Candidate } from './model-chain.js';
import { type Model, ModelError } from './model.js';
import { type Fetch, modelEgress, modelFetch, modelStream } from './model-fetch.js';
import { listPriceOf } from './price-list.js';
import { RehearsalModel } from './rehearsal-model.js';

/** Limits of every call, whichever model it asks. */
export function callLimits(
  settings: EngineSettings,
): Pick<
  EndpointSettings,
  'takesImages' | 'takesPdf' | 'streams' | 'timeoutMs' | 'maxOutputTokens' | 'maxAnswerBytes' | 'breaker'
> {
  return {
    takesImages: settings.MODEL_INPUTS.includes('image'),
    takesPdf: settings.MODEL_INPUTS.includes('pdf'),
    streams: settings.MODEL_STREAMING === 1,
    timeoutMs: settings.MODEL_TIMEOUT_MS,
    maxOutputTokens: settings.MODEL_MAX_OUTPUT_TOKENS,
    maxAnswerBytes: settings.MODEL_ANSWER_BYTES,
    breaker: { opensAfter: settings.MODEL_BREAKER_FAILURES, trialEveryMs: settings.MODEL_TRIAL_MS },
  };
}

/** The models of this installation: any model of one endpoint, or the rehearsal model if none is configured. */
export class ConfiguredModels {
  private readonly models = new Map<string, Model>();
  private readonly rehearsal = new RehearsalModel();
  private readonly fetch: Fetch;
  private readonly stream: Fetch;

  constructor(private readonly settings: EngineSettings) {
    const { MODEL_BASE_URL: baseUrl } = settings;
    // The operator has named this address, so it may be a private one.
    const own = baseUrl ? [new URL(baseUrl).host] : [];
    const egress = modelEgress([...settings.GATEHOUSE_EGRESS_ALLOW, ...own], settings);
    const limits = { timeoutMs: settings.MODEL_TIMEOUT_MS, maxBytes: settings.MODEL_ANSWER_BYTES };
    this.fetch = modelFetch(egress, limits);
    this.stream = modelStream(egress, limits);
  }

  get configured(): boolean {
    return this.settings.MODEL_BASE_URL !== null && this.settings.MODEL_BASE_URL !== '';
  }

  /** @param name null: MODEL_NAME */
  named(name: string | null): Candidate {
    const wanted = name ?? this.settings.MODEL_NAME;
    const model = this.configured ? this.endpoint(wanted) : this.rehearsal;
    return { name: wanted ?? 'rehearsal', provider: null, key: null, model };
  }

  private endpoint(wanted: string | null): Model {
    const { settings, fetch, stream } = this;
    if (!wanted) throw new ModelError('model_rejected', 'MODEL_NAME is not set, and the agent names no model');
    let model = this.models.get(wanted);
    if (!model) {
      const key = settings.MODEL_API_KEY ? { api_key: settings.MODEL_API_KEY } : null;
      const access = {
        kind: 'openai-compatible' as const,
        baseUrl: settings.MODEL_BASE_URL,
        region: null,
        cloudProject: null,
        key,
      };
      const limits = { listPrice: listPriceOf(access, wanted), ...callLimits(settings) };
      model = new EndpointModel({ access: async () => access, model: wanted, name: wanted, fetch, stream, ...limits });
      this.models.set(wanted, model);
    }
    return model;
  }
}
