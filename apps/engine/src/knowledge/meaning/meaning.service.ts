import type { ProjectScope } from '#libs/contracts';
import { type Principal, Problem } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ModelBreaker } from '../../path/model/model-breaker.js';
import { ModelError } from '../../path/model/model.js';
import { ProviderDirectory } from '../../path/providers/provider-directory.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import type { Asker, Meaning, Nearest } from '../document-search.repository.js';
import { ChunkVectorRepository } from './chunk-vector.repository.js';
import { type ChosenModel, Embedder } from './embedder.js';
import { EmbeddingUnpaid, type Payer } from './embedding-account.service.js';
import { EmbeddingModelRepository } from './embedding-model.repository.js';
import type { MeaningView } from './meaning.dto.js';

const mostBreakers = 5_000;

/** Finds chunks by what a question means, with the model that the project chose. */
@Injectable()
export class MeaningService implements Meaning {
  private readonly logger = new Logger('knowledge-meaning');
  /** One for each space: searches do not all wait for a model that is away. */
  private readonly breakers = new Map<string, ModelBreaker>();

  constructor(
    private readonly models: EmbeddingModelRepository,
    private readonly vectors: ChunkVectorRepository,
    private readonly embedder: Embedder,
    private readonly directory: ProviderDirectory,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  async nearest(owner: ProjectScope, by: Asker, text: string, limit: number): Promise<Nearest | null> {
    const row = await this.models.find(owner);
    if (!row) return null;
    const question = await this.questionIn(owner, by.payer, row, text);
    if ('note' in question) return { found: [], note: question.note };
    const most = this.settings.EMBEDDING_SCAN;
    const { found, skipped } = await this.vectors.nearest(row, by.reader, question.vector, { limit, most });
    const note = skipped ? `Only the newest ${most} parts were compared by meaning; older ones by their words.` : null;
    return { found, note };
  }

  /** How documents are found by meaning, and how many already are. */
  async view(owner: ProjectScope): Promise<MeaningView> {
    const row = await this.models.find(owner);
    if (!row) return off;
    const provider = (await this.directory.of(owner)).find(({ id }) => id === row.provider_id);
    const { documents, embedded, refused } = await this.vectors.progress(row);
    const { provider_id, model, dimensions, failure, updated_at } = row;
    const state = failure !== null ? 'failing' : embedded < documents ? 'working' : 'ready';
    return {
      state,
      provider_id,
      provider: provider?.name ?? null,
      model,
      dimensions,
      documents,
      embedded,
      refused,
      failure,
      updated_at: updated_at.toISOString(),
    };
  }

  /** @throws Problem 422 where the model does not put a word into a vector */
  async choose(caller: Principal, chosen: ChosenModel): Promise<MeaningView> {
    const known = chosen.provider_id === null || (await this.directory.of(caller)).some(isChosen);
    if (!known) throw invalid('provider_id', 'no such provider in this project');
    const signal = AbortSignal.timeout(this.settings.MODEL_TEST_MS);
    try {
      const [vector] = await this.embedder.embed(caller, chosen, ['A word.'], { as: 'document', payer: null, signal });
      await this.models.choose(caller, chosen, vector?.length ?? 0);
    } catch (error) {
      if (error instanceof EmbeddingUnpaid)
        throw new Problem(409, error.code, `The model was not tried, for that is paid for: ${error.message}.`);
      if (!(error instanceof ModelError)) throw error;
      throw invalid('model', `${chosen.model} puts no text into a vector: ${error.message}`);
    }
    return this.view(caller);

    function isChosen({ id }: { id: string }): boolean {
      return id === chosen.provider_id;
    }
  }

  async turnOff(caller: Principal): Promise<void> {
    await this.models.turnOff(caller);
  }

  private async questionIn(
    owner: ProjectScope,
    payer: Payer,
    row: ChosenModel & { space: string; dimensions: number | null },
    text: string,
  ): Promise<{ vector: Float32Array } | { note: string }> {
    const breaker = this.breakerOf(row.space);
    const beganMs = performance.now();
    try {
      breaker.check();
      const signal = AbortSignal.timeout(this.settings.EMBEDDING_QUERY_MS);
      const [vector] = await this.embedder.embed(owner, row, [text], { as: 'question', payer, signal });
      breaker.succeeded();
      if (vector && vector.length === row.dimensions) return { vector };
      return { note: wordsAlone(row.model, 'makes vectors of another size now') };
    } catch (error) {
      if (error instanceof EmbeddingUnpaid) return { note: `${withoutMeaning}: ${error.message}.` };
      if (!(error instanceof ModelError)) throw error;
      if (error.away) breaker.failed(error, beganMs);
      const { code, message } = error;
      this.logger.warn({ event: 'knowledge.words_alone', project: owner.projectId, code, detail: message });
      return { note: wordsAlone(row.model, this.why(error)) };
    }
  }

  /** In our words: an endpoint's own would be read by the agent's model. */
  private why({ code }: ModelError): string {
    if (code === 'model_timeout') return `gave no answer within ${this.settings.EMBEDDING_QUERY_MS} ms`;
    if (code === 'model_unauthorized') return 'does not accept the key';
    return code === 'model_unavailable' ? 'does not answer' : 'makes no vector of the question';
  }

  private breakerOf(space: string): ModelBreaker {
    const { MODEL_BREAKER_FAILURES: opensAfter, MODEL_TRIAL_MS: trialEveryMs } = this.settings;
    const breaker = this.breakers.get(space) ?? new ModelBreaker({ opensAfter, trialEveryMs });
    if (this.breakers.size >= mostBreakers) this.breakers.clear();
    this.breakers.set(space, breaker);
    return breaker;
  }
}

const off: MeaningView = {
  state: 'off',
  provider_id: null,
  provider: null,
  model: null,
  dimensions: null,
  documents: 0,
  embedded: 0,
  refused: 0,
  failure: null,
  updated_at: null,
};

const withoutMeaning = 'Documents were searched by their words alone, not by meaning';
const wordsAlone = (model: string, what: string): string => `${withoutMeaning}: the embedding model ${model} ${what}.`;

function invalid(field: string, message: string): Problem {
  return new Problem(422, 'invalid_fields', 'Some fields are not valid.', [{ field, message }]);
}
