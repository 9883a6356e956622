import { Database, Sweeping } from '#libs/database';
import { Inject, Injectable } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../settings.js';
import { type ChunkText, storeTerms } from './chunk-terms.js';

const batch = 32;

/** Makes chunks findable that are stored without terms: the later ones of a long document, and those of older releases. */
@Injectable()
export class ChunkIndexing extends Sweeping {
  constructor(
    private readonly db: Database,
    @Inject(SETTINGS) { SWEEP_EVERY_MS }: EngineSettings,
  ) {
    super();
    this.sweepEvery({
      name: 'knowledge-terms',
      everyMs: SWEEP_EVERY_MS,
      sweep: (limit) => this.index(limit),
      batch,
    });
  }

  private async index(limit: number): Promise<number> {
    return this.db.transaction(async (db) => {
      const chunks = (await db.query(
        `SELECT c.document_id, c.seq, c.project_id, d.title, c.heading, c.text
           FROM engine.chunk c JOIN engine.document d ON d.id = c.document_id
          WHERE c.terms IS NULL ORDER BY c.document_id, c.seq LIMIT $1 FOR UPDATE OF c SKIP LOCKED`,
        [limit],
      )) as ChunkText[];
      if (chunks.length > 0) await storeTerms(db, chunks);
      return chunks.length;
    });
  }
}
