import { backoffMs, type ProjectScope, type Transcript } from '#libs/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { placeOf, type Provider } from '../../entities/provider.entity.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { type Fetch, modelEgress, modelFetch } from '../model/model-fetch.js';
import { modelErrorOf } from '../model/model-error-of.js';
import { ModelPrices } from '../model/model-spending.js';
import { ModelError, type ModelErrorCode } from '../model/model.js';
import { ProviderDirectory } from '../providers/provider-directory.js';
import { ProviderKeys } from '../providers/provider-keys.js';
import { type AudioKind, audioKindOf, secondsOf } from './audio-file.js';
import { minutePriceOf } from './minute-prices.js';
import { transcribe, type Heard } from './transcribe.js';
import type { TranscriptRow } from '../../entities/transcript.entity.js';
import { TranscriptRepository } from './transcript.repository.js';

/** The provider and model that hear a project's voice notes. */
export interface TranscriptionPlace {
  provider: Provider;
  model: string;
}

interface AudioFile {
  bytes: Buffer;
  name: string;
}

/** `detail`: more than the error says, for people. It may quote the endpoint, so no model reads it. */
type Words = Pick<Transcript, 'text' | 'model' | 'seconds' | 'error' | 'final'> & { detail?: string };
type By = Parameters<TranscriptRepository['keep']>[2];

const maxAnswerBytes = 4_194_304;
const retryWaits = { baseMs: 500, capMs: 5_000 };

const wordsOf: Partial<Record<ModelErrorCode, string>> = {
  model_unavailable: 'the transcription service does not answer',
  model_timeout: 'the transcription service does not answer',
  model_unauthorized: 'the transcription service does not accept the key',
  model_malformed: 'the answer of the transcription service cannot be read',
};

/** Has a project's provider transcribe audio files, each once, and keeps the words. */
@Injectable()
export class Transcriber {
  readonly fetch: Fetch;
  /** Files that are being heard, by project and content: two turns of this process with the same file ask once. */
  private readonly running = new Map<string, Promise<Words>>();

  constructor(
    private readonly directory: ProviderDirectory,
    private readonly keys: ProviderKeys,
    private readonly transcripts: TranscriptRepository,
    private readonly prices: ModelPrices,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {
    const { TRANSCRIPTION_TIMEOUT_MS: timeoutMs, GATEHOUSE_EGRESS_ALLOW: allow } = settings;
    const egress = modelEgress(allow, { MODEL_TIMEOUT_MS: timeoutMs });
    this.fetch = modelFetch(egress, { timeoutMs, maxBytes: maxAnswerBytes });
  }

  /** @returns null: the project has not chosen any */
  async placeOf(owner: ProjectScope): Promise<TranscriptionPlace | null> {
    const provider = (await this.directory.of(owner)).find((each) => each.transcription_model !== null);
    return provider?.transcription_model ? { provider, model: provider.transcription_model } : null;
  }

  /**
   * The words of a file, or why there are none.
   * @param by whose usage it is
   * @throws the signal's reason
   */
  async words(
    owner: ProjectScope,
    place: TranscriptionPlace,
    file: AudioFile,
    by: By,
    signal: AbortSignal,
  ): Promise<Words> {
    const sha256 = createHash('sha256').update(file.bytes).digest('hex');
    const known = await this.transcripts.find(owner, sha256);
    if (known) return heardIn(known);
    const { TRANSCRIPTION_MAX_BYTES: maxBytes, TRANSCRIPTION_MAX_SECONDS: maxSeconds } = this.settings;
    if (file.bytes.length > maxBytes) return { error: `it has over ${maxBytes} bytes`, final: true };
    const kind = audioKindOf(file.bytes);
    if (kind === null) return { error: 'it is no audio of a known kind', final: true };
    const seconds = secondsOf(file.bytes, kind);
    if (seconds !== null && seconds > maxSeconds)
      return { error: `it is longer than ${maxSeconds} seconds`, final: true };
    signal.throwIfAborted();
    const key = `${owner.projectId} ${sha256}`;
    const facts = { sha256, seconds, by };
    const begun = this.running.get(key) ?? this.begin(key, () => this.hear(owner, place, file, kind, facts));
    return Promise.race([begun, abortOf(signal)]);
  }

  /** It goes on without the turn that began it: what it costs is not spent for nothing. */
  private begin(key: string, hear: () => Promise<Words>): Promise<Words> {
    const hearing = hear().finally(() => this.running.delete(key));
    this.running.set(key, hearing);
    return hearing;
  }

  private async hear(
    owner: ProjectScope,
    { provider, model }: TranscriptionPlace,
    { bytes, name }: AudioFile,
    kind: AudioKind,
    { sha256, seconds: own, by }: { sha256: string; seconds: number | null; by: By },
  ): Promise<Words> {
    const heard = await this.tried(provider, model, { bytes, kind });
    if ('error' in heard) return heard;
    const seconds = heard.seconds ?? own;
    const named = `${provider.name}/${model}`;
    const row = {
      file_sha256: sha256,
      name: name.slice(0, 200),
      media_type: kind.mediaType,
      bytes: bytes.length,
      text: heard.text.trim().slice(0, this.settings.TRANSCRIPT_CHARS),
      model: named,
      seconds,
      cost_micros: this.prices.audioMicros(named, seconds ?? 0, minutePriceOf(placeOf(provider), model)),
    };
    return heardIn(await this.transcripts.keep(owner, row, by));
  }

  /** With each key, and once more where that may help. */
  private async tried(
    provider: Provider,
    model: string,
    audio: { bytes: Buffer; kind: AudioKind },
  ): Promise<Heard | Required<Pick<Words, 'error' | 'detail'>>> {
    const keys: (string | null)[] = provider.credential_ids.length > 0 ? provider.credential_ids : [null];
    for (let attempt = 1; ; attempt += 1) {
      let failed = new ModelError('model_unauthorized', 'the provider has no key');
      for (const key of keys) {
        const heard = await this.asked(provider, model, audio, key);
        if ('text' in heard) return heard;
        failed = heard;
        if (heard.blame !== 'key') break;
      }
      const { code, message: detail } = failed;
      const isFinal = failed.permanent || code === 'model_unauthorized';
      if (isFinal || attempt >= this.settings.TRANSCRIPTION_ATTEMPTS)
        return { error: wordsOf[code] ?? 'the transcription service refuses it', detail };
      await setTimeout(backoffMs(retryWaits, attempt));
    }
  }

  private async asked(
    provider: Provider,
    model: string,
    audio: { bytes: Buffer; kind: AudioKind },
    key: string | null,
  ): Promise<Heard | ModelError> {
    const { TRANSCRIPTION_TIMEOUT_MS: timeoutMs } = this.settings;
    const signal = AbortSignal.timeout(timeoutMs);
    let secrets: string[] = [];
    try {
      const access = { ...placeOf(provider), key: key === null ? null : await this.keys.read(provider, key) };
      secrets = Object.values(access.key ?? {});
      return await transcribe(access, model, audio, this.fetch, signal);
    } catch (error) {
      if (signal.aborted) return new ModelError('model_timeout', `there is no answer within ${timeoutMs} ms`);
      return modelErrorOf(error, secrets);
    }
  }
}

function heardIn({ text, model, seconds }: Pick<TranscriptRow, 'text' | 'model' | 'seconds'>): Words {
  return { text, model, ...(seconds === null ? {} : { seconds }) };
}

/** Rejects with the signal's reason. */
function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
