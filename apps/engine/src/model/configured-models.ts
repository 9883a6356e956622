import type { EngineSettings } from '../settings.js';
import {
  type Completion,
  type Model,
  ModelError,
  type ModelMessage,
  type Models,
  type ToolDescription,
} from './model.js';
import { modelEgress, modelFetch } from './model-fetch.js';
import { EndpointModel } from './endpoint-model.js';
import { RehearsalModel } from './rehearsal-model.js';

/** The models of this installation: any model of one endpoint, or the rehearsal model if none is configured. */
export function configuredModels(settings: EngineSettings): Models {
  const { MODEL_BASE_URL: baseUrl, MODEL_NAME: modelName } = settings;
  if (!baseUrl) {
    const rehearsal = new RehearsalModel();
    return { forTurn: () => rehearsal };
  }
  // The operator has named this address, so it may be a private one.
  const { host } = new URL(baseUrl);
  const egress = modelEgress([...settings.GATEHOUSE_EGRESS_ALLOW, host], settings);
  const limits = { timeoutMs: settings.MODEL_TIMEOUT_MS, maxBytes: settings.MODEL_ANSWER_BYTES };
  const fetch = modelFetch(egress, limits);
  const models = new Map<string, Model>();
  const named = (name: string | null): Model => {
    const wanted = name ?? modelName;
    if (!wanted) throw new Error('MODEL_NAME is not set, and the agent names no model');
    let model = models.get(wanted);
    if (!model) {
      model = new EndpointModel({
        access: {
          kind: 'openai-compatible',
          baseUrl,
          region: null,
          cloudProject: null,
          key: settings.MODEL_API_KEY ? { api_key: settings.MODEL_API_KEY } : null,
        },
        model: wanted,
        name: wanted,
        fetch,
        timeoutMs: settings.MODEL_TIMEOUT_MS,
        maxOutputTokens: settings.MODEL_MAX_OUTPUT_TOKENS,
        maxAnswerBytes: settings.MODEL_ANSWER_BYTES,
        breaker: { opensAfter: settings.MODEL_BREAKER_FAILURES, trialEveryMs: settings.MODEL_TRIAL_MS },
      });
      models.set(wanted, model);
    }
    return model;
  };
  return {
    forTurn: (name, fallback) => {
      const second = fallback ?? settings.MODEL_FALLBACK_NAME;
      return second ? new ModelWithFallback(named(name), named(second)) : named(name);
    },
  };
}

/**
 * Asks the second model when the first gives no answer, and keeps using it for the rest of the turn. A turn must not
 * wait for the same time-out at every step. One instance serves one turn.
 */
class ModelWithFallback implements Model {
  private current: Model;

  constructor(
    first: Model,
    private readonly second: Model,
  ) {
    this.current = first;
  }

  async complete(messages: ModelMessage[], tools: ToolDescription[], signal: AbortSignal): Promise<Completion> {
    try {
      return await this.current.complete(messages, tools, signal);
    } catch (error) {
      // A conversation that is too long is shortened for the model that the agent names.
      if (!(error instanceof ModelError) || this.current === this.second || error.code === 'context_length')
        throw error;
      const answer = await this.askSecond(error, messages, tools, signal);
      this.current = this.second;
      return { ...answer, unread: error.unread };
    }
  }

  private async askSecond(
    first: ModelError,
    messages: ModelMessage[],
    tools: ToolDescription[],
    signal: AbortSignal,
  ): Promise<Completion> {
    try {
      return await this.second.complete(messages, tools, signal);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      // If the second model refuses for good, the first may still answer once it is available again.
      const [thrown, other] = first.away && !error.away ? [first, error] : [error, first];
      thrown.unread.push(...other.unread);
      throw thrown;
    }
  }
}
