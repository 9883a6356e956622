import type { EngineSettings } from '../settings.js';
import type { Model, Models } from './model.js';
import { ModelWithFallback } from './model-with-fallback.js';
import { OpenAiModel } from './openai-model.js';
import { RehearsalModel } from './rehearsal-model.js';

/** The models of this installation: one endpoint, any model it serves; the rehearsal model while there is none. */
export function configuredModels(settings: EngineSettings): Models {
  const { MODEL_BASE_URL: baseUrl, MODEL_NAME: modelName } = settings;
  if (!baseUrl) {
    const rehearsal = new RehearsalModel();
    return { forTurn: () => rehearsal };
  }
  const models = new Map<string, Model>();
  const named = (name: string | null): Model => {
    const wanted = name ?? modelName;
    if (!wanted) throw new Error('MODEL_NAME is not set, and the agent names no model');
    let model = models.get(wanted);
    if (!model) {
      model = new OpenAiModel({
        baseUrl,
        apiKey: settings.MODEL_API_KEY,
        model: wanted,
        timeoutMs: settings.MODEL_TIMEOUT_MS,
        maxOutputTokens: settings.MODEL_MAX_OUTPUT_TOKENS,
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
