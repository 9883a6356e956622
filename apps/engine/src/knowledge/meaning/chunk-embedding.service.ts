import { Sweeping } from '#libs/database';
import { scopeOf } from '#libs/contracts';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ModelError } from '../../path/model/model.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { type ChunkToEmbed, ChunkVectorRepository } from './chunk-vector.repository.js';
import { Embedder } from './embedder.js';
import { EmbeddingUnpaid } from './embedding-account.service.js';
import type { EmbeddingModelRow } from './embedding-model.entity.js';
import { EmbeddingModelRepository } from './embedding-model.repository.js';

/** Worked on beside each other: an endpoint that does not answer keeps only its own project waiting. */
const projectsAtOnce = 4;
const longestWaitMs = 3_600_000;
/** A limit may be raised at any time, and a look costs one query. */
const longestWaitForBudgetMs = 60_000;
const removedAtOnce = 1_000;
/** A model of few tokens refuses whole chunks, above all in scripts that it cuts small. */
const shortened = [750, 300];
/** Of a request that the model refuses, so many texts are tried one by one, and the others by the next request. */
const triedAlone = 8;

type Chosen = EmbeddingModelRow & { model: string };

/**
 * Makes the vectors of a project's chunks, some at a time. What is stored is not asked for again, so a process that is
 * killed costs one request.
 */
@Injectable()
export class ChunkEmbedding extends Sweeping {
  private readonly logger = new Logger('knowledge-vectors');
  private readonly stopping = new AbortController();

  constructor(
    private readonly models: EmbeddingModelRepository,
    private readonly vectors: ChunkVectorRepository,
    private readonly embedder: Embedder,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {
    super();
    for (let number = 1; number <= projectsAtOnce; number += 1)
      this.sweepEvery({
        name: `knowledge-vectors-${number}`,
        everyMs: settings.SWEEP_EVERY_MS,
        batch: 1,
        sweep: () => this.next(),
      });
  }

  override async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await super.onModuleDestroy();
  }

  /** @returns 1 when a project was due */
  private async next(): Promise<number> {
    const { MODEL_TIMEOUT_MS, SWEEP_EVERY_MS } = this.settings;
    const row = await this.models.claim(MODEL_TIMEOUT_MS + SWEEP_EVERY_MS);
    if (!row) return 0;
    const { model } = row;
    if (model === null) await this.cleanUp(row);
    else await this.embedSome({ ...row, model });
    return 1;
  }

  private async cleanUp(row: EmbeddingModelRow): Promise<void> {
    const removed = await this.vectors.removeSome(row.project_id, removedAtOnce);
    if (removed < removedAtOnce) await this.models.remove(row);
    else await this.models.worked(row, 0);
  }

  private async embedSome(row: Chosen): Promise<void> {
    const { documents, chunks } = await this.vectors.pending(row, this.settings.EMBEDDING_BATCH);
    if (documents.length === 0) return this.models.worked(row, this.settings.SWEEP_EVERY_MS);
    try {
      const vectors = await this.vectorsOf(row, chunks);
      await this.vectors.keep(row, documents, chunks.slice(0, vectors.length), vectors);
      await this.models.worked(row, 0);
    } catch (error) {
      if (error instanceof EmbeddingUnpaid) return this.unpaid(row, error);
      if (!(error instanceof ModelError)) throw error;
      if (this.stopping.signal.aborted) await this.models.worked(row, 0);
      else await this.failed(row, error);
    }
  }

  /** Of all chunks, or of the first of them. */
  private async vectorsOf(row: Chosen, chunks: ChunkToEmbed[]): Promise<(Float32Array | null)[]> {
    if (chunks.length === 0) return [];
    const signal = AbortSignal.any([AbortSignal.timeout(this.settings.MODEL_TIMEOUT_MS), this.stopping.signal]);
    try {
      return await this.embed(row, chunks.map(textOf), signal);
    } catch (error) {
      // A budget may have room for some of them: a batch that never fits would keep all of them waiting.
      if (isTooMuch(error) && chunks.length > 1) return this.vectorsOf(row, chunks.slice(0, chunks.length >> 1));
      if (!isOfText(error)) throw error;
    }
    // Where it refuses any text, it is not for one of these.
    await this.embed(row, ['text'], signal);
    const vectors: (Float32Array | null)[] = [];
    for (const chunk of chunks.slice(0, triedAlone)) vectors.push(await this.alone(row, textOf(chunk), signal));
    return vectors;
  }

  private async alone(row: Chosen, text: string, signal: AbortSignal): Promise<Float32Array | null> {
    for (const most of [text.length, ...shortened]) {
      try {
        return (await this.embed(row, [text.slice(0, most).toWellFormed()], signal))[0] ?? null;
      } catch (error) {
        if (!isOfText(error)) throw error;
      }
    }
    return null;
  }

  /** @throws ModelError also where its vectors have another size than those that are stored */
  private async embed(row: Chosen, texts: string[], signal: AbortSignal): Promise<Float32Array[]> {
    const vectors = await this.embedder.embed(scopeOf(row), row, texts, { as: 'document', payer: null, signal });
    const dimensions = vectors[0]?.length ?? 0;
    if (row.dimensions === null || dimensions === row.dimensions) return vectors;
    const why = `its vectors have ${dimensions} dimensions now, and had ${row.dimensions} when it was chosen`;
    throw new ModelError('model_malformed', why, { blame: 'model' });
  }

  /** What has its vectors stays found by meaning; the rest waits for the budget, and is found by words. */
  private async unpaid(row: Chosen, { code, message }: EmbeddingUnpaid): Promise<void> {
    this.logger.log({ event: 'vectors.unpaid', project: row.project_id, code });
    const whatToDo = whatHelps[code];
    const shown = { code, message: `Vectors of documents wait: ${message}.`, whatToDo };
    const leastMs = this.settings.SWEEP_EVERY_MS;
    await this.models.failed(row, shown, { leastMs, mostMs: Math.max(leastMs, longestWaitForBudgetMs) });
  }

  private async failed(row: Chosen, error: ModelError): Promise<void> {
    const { code, message, retryAfterMs } = error;
    this.logger.warn({ event: 'vectors.not_made', project: row.project_id, code, detail: message });
    const leastMs = Math.max(retryAfterMs ?? 0, this.settings.SWEEP_EVERY_MS);
    const whatToDo =
      code === 'model_unavailable' || code === 'model_timeout'
        ? null
        : 'Repair its provider, or choose another model. A model whose vectors have another size is turned off and chosen again.';
    const shown = { code, message: `The embedding model ${row.model}: ${message}`, whatToDo };
    await this.models.failed(row, shown, { leastMs, mostMs: Math.max(leastMs, longestWaitMs) });
  }
}

const whatHelps: Readonly<Record<EmbeddingUnpaid['code'], string>> = {
  day_budget_spent: 'Raise the limit of the project, or wait until the day ends (UTC).',
  month_budget_spent: 'Raise the limit of the project, or wait until the month ends (UTC).',
  day_reserved:
    'Wait for turns that run to end, or raise the limit of the project, or wait until the day or the month ends (UTC).',
  budget_too_small: 'Raise the limit of the project: it is less than one part of a document needs.',
};

function isTooMuch(error: unknown): boolean {
  return error instanceof EmbeddingUnpaid && (error.code === 'day_reserved' || error.code === 'budget_too_small');
}

function textOf({ title, heading, text }: ChunkToEmbed): string {
  return `${[title, ...(heading === null || heading === title ? [] : [heading])].join('\n')}\n\n${text}`;
}

/** Whether the request is at fault, which may be for one of its texts: neither the key, the model nor the provider. */
function isOfText(error: unknown): boolean {
  if (!(error instanceof ModelError)) return false;
  return error.code === 'context_length' || (error.code === 'model_rejected' && error.blame === 'request');
}
