import { newId, type ProjectScope } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { deleteDocument, insertDocument, type NewDocument } from './document-rows.js';
import type { SyncOutcome } from './document.entity.js';

export interface SyncedVersion {
  /** The gateway's id of the document. */
  id: string;
  /** Increases with each change. */
  revision: number;
  outcome: SyncOutcome;
  /** Present when the outcome is `kept`. */
  document: NewDocument | null;
}

export interface TakenVersion {
  outcome: SyncOutcome;
  revision: number;
  document_id: string;
}

/** The documents that sources have added to the project's knowledge. */
@Injectable()
export class SyncedDocumentRepository {
  constructor(private readonly db: DataSource) {}

  /**
   * Replaces the previous version in one transaction. A version that is not newer changes nothing.
   * @returns the current version; null when the id belongs to another project
   */
  async take(owner: ProjectScope, version: SyncedVersion): Promise<TakenVersion | null> {
    const { id, revision, outcome, document } = version;
    return this.db.transaction(async (db) => {
      // The row's lock serialises the versions of one document.
      const [newer] = (await db.query(
        `INSERT INTO engine.synced_document AS s (id, organization_id, project_id, revision, outcome, document_id, taken_at)
         VALUES ($1, $2, $3, $4, $5, $6, now())
         ON CONFLICT (id) DO UPDATE SET revision = EXCLUDED.revision, outcome = EXCLUDED.outcome, taken_at = now()
          WHERE s.organization_id = $2 AND s.project_id = $3 AND s.revision < EXCLUDED.revision
         RETURNING outcome, revision, document_id`,
        [id, owner.organizationId, owner.projectId, revision, outcome, newId('doc')],
      )) as TakenVersion[];
      if (!newer) {
        const [known] = (await db.query(
          `SELECT outcome, revision, document_id FROM engine.synced_document
            WHERE id = $1 AND organization_id = $2 AND project_id = $3`,
          [id, owner.organizationId, owner.projectId],
        )) as TakenVersion[];
        return known ?? null;
      }
      await deleteDocument(db, owner, newer.document_id);
      // Derived from the gateway's id: equal text at two places is two documents, which are removed independently.
      const same = `sync:${id}`;
      const nothingStated = { entities: [], relations: [] };
      if (document) await insertDocument(db, owner, newer.document_id, same, document, nothingStated);
      return newer;
    });
  }
}
