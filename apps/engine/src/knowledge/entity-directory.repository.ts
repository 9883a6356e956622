import type { ProjectScope } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { nameKey } from './fact-rows.js';

export interface ListedEntity {
  id: string;
  name: string;
  /** Lower case; the list is sorted by it, and the cursor refers to it. */
  name_key: string;
  kinds: string[];
  documents: number;
}

/** The entities that documents mention, by name. */
@Injectable()
export class EntityDirectory {
  constructor(private readonly db: DataSource) {}

  /** By name; one more than `limit` if there are more. @param part of the name; null: all */
  async list(owner: ProjectScope, part: string | null, limit: number, cursor: string | null): Promise<ListedEntity[]> {
    return (await this.db.query(
      `SELECT e.id, e.name, e.name_key, count(*)::integer AS documents,
              coalesce(array_agg(DISTINCT m.kind) FILTER (WHERE m.kind IS NOT NULL), '{}') AS kinds
         FROM engine.entity e JOIN engine.mention m ON m.entity_id = e.id JOIN engine.document d ON d.id = m.document_id
        WHERE e.project_id = $1 AND d.organization_id = $2 AND ($3::text IS NULL OR strpos(e.name_key, $3) > 0)
          AND ($4::text IS NULL OR e.name_key > $4)
        GROUP BY e.id, e.name, e.name_key ORDER BY e.name_key LIMIT $5`,
      [
        owner.projectId,
        owner.organizationId,
        part === null ? null : nameKey(part.replaceAll('\0', '')),
        cursor,
        limit + 1,
      ],
    )) as ListedEntity[];
  }

  async nameOf(owner: ProjectScope, id: string): Promise<string | null> {
    const sql = 'SELECT name FROM engine.entity WHERE id = $1 AND project_id = $2';
    const rows = (await this.db.query(sql, [id, owner.projectId])) as { name: string }[];
    return rows[0]?.name ?? null;
  }
}
