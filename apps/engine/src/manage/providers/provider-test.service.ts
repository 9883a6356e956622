import type { ProjectScope } from '#libs/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { listedModels } from './listed-models.js';
import { modelErrorOf } from '../../path/model/model-error-of.js';
import { trials, type TrialResult } from './model-trials.js';
import { providerModel } from '../../path/model/provider-package.js';
import type { ProviderAccess } from '../../path/model/provider-kind.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { ProviderKeys } from '../../path/providers/provider-keys.js';
import { ProviderModels } from '../../path/providers/provider-models.js';
import { audioKindOf, sampleAudio } from '../../path/transcripts/audio-file.js';
import { transcribe } from '../../path/transcripts/transcribe.js';
import { placeOf, type Provider, type ProviderFinding, type ProviderTested } from '../../entities/provider.entity.js';
import { ProviderRepository } from '../../path/providers/provider.repository.js';

type Check = ProviderFinding['check'];
type Keyed = { key: string | null; access: () => Promise<ProviderAccess> };

/** Tries a provider as turns would use it, and says of each thing whether it works. */
@Injectable()
export class ProviderTestService {
  constructor(
    private readonly providers: ProviderRepository,
    private readonly keys: ProviderKeys,
    private readonly models: ProviderModels,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  async test(owner: ProjectScope, provider: Provider, wanted: string | null): Promise<ProviderTested> {
    const keyed = this.keyed(provider);
    let models: string[] = [];
    const listing = await this.finding('models', keyed[0], async (access, signal) => {
      const listed = await listedModels(access, this.models.fetch, signal);
      models = listed ?? [];
      if (listed === null) return { ok: true, detail: 'A provider of this kind lists no models: name one.' };
      return { ok: true, detail: `It lists ${listed.length} model${listed.length === 1 ? '' : 's'}.` };
    });
    const model = wanted ?? provider.default_model ?? provider.models[0] ?? models[0] ?? null;
    const { transcription_model: hears } = provider;
    const findings = [
      listing,
      ...(model === null ? [] : await this.asked(keyed, model)),
      ...(hears === null ? [] : [await this.transcribed(keyed[0], hears)]),
    ];
    const tested = { at: new Date().toISOString(), model, findings, models };
    await this.providers.tested(owner, provider.id, tested);
    return tested;
  }

  /** An answer with each key; then, with the first that works, what else the model can do. */
  private async asked(keyed: Keyed[], model: string): Promise<ProviderFinding[]> {
    const answers = await Promise.all(keyed.map((each) => this.tried('answer', each, model)));
    const working = keyed[answers.findIndex(({ ok }) => ok)];
    if (!working) return answers;
    const others = (['tools', 'images', 'streaming'] as const).map((check) => this.tried(check, working, model));
    return [...answers, ...(await Promise.all(others))];
  }

  /** A built-in sample without words: an endpoint that takes it answers with a text, which may be empty. */
  private transcribed(keyed: Keyed | undefined, model: string): Promise<ProviderFinding> {
    const bytes = sampleAudio();
    const kind = audioKindOf(bytes);
    if (!kind) throw new Error('the sample is audio');
    return this.finding('transcription', keyed, async (access, signal) => {
      await transcribe(access, model, { bytes, kind }, this.models.fetch, signal);
      return { ok: true, detail: `${model} takes audio.` };
    });
  }

  private tried(check: keyof typeof trials, keyed: Keyed, model: string): Promise<ProviderFinding> {
    const { fetch } = this.models;
    return this.finding(check, keyed, async (access, signal) =>
      trials[check](await providerModel(access, model, fetch, fetch), signal),
    );
  }

  private async finding(
    check: Check,
    keyed: Keyed | undefined,
    run: (access: ProviderAccess, signal: AbortSignal) => Promise<TrialResult>,
  ): Promise<ProviderFinding> {
    if (!keyed) throw new Error('a provider is tried with a key or without one');
    const signal = AbortSignal.timeout(this.settings.MODEL_TEST_MS);
    const beganMs = performance.now();
    let secrets: string[] = [];
    const result = await keyed
      .access()
      .then((access) => {
        secrets = Object.values(access.key ?? {});
        return run(access, signal);
      })
      .catch((error: unknown): TrialResult => {
        const late = `There is no answer within ${this.settings.MODEL_TEST_MS} ms.`;
        return { ok: false, detail: signal.aborted ? late : sentence(modelErrorOf(error, secrets).message) };
      });
    return { check, key: keyed.key, ...result, duration_ms: Math.round(performance.now() - beganMs) };
  }

  private keyed(provider: Provider): Keyed[] {
    const ids: (string | null)[] = provider.credential_ids.length > 0 ? provider.credential_ids : [null];
    return ids.map((key) => ({
      key,
      access: async () => ({ ...placeOf(provider), key: key === null ? null : await this.keys.read(provider, key) }),
    }));
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
