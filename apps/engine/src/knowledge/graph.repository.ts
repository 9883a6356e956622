import type { ProjectScope } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DocumentTrust } from './document.entity.js';
import { type Reader, visibleTo } from './document.repository.js';
import { nameKey } from './fact-rows.js';

export interface FoundEntity {
  id: string;
  name: string;
  /** One entry per document that mentions it. */
  mentions: { kind: string | null; description: string | null; document_id: string; trust: DocumentTrust }[];
}

export interface FoundRelation {
  from: string;
  relation: string;
  to: string;
  document_id: string;
  trust: DocumentTrust;
  /** Steps from the requested entity. */
  distance: number;
}

export interface FoundPath {
  entities: string[];
  /** One between each pair of neighbours; `<-name` is read from right to left. */
  relations: string[];
  /** True when one of its steps was learnt only from untrusted senders. */
  untrusted: boolean;
}

const mostEdges = 2_000;

// Edges are followed in both directions. The row limit protects the database from a hub with a million relations.
const visibleEdges = `
  SELECT r.from_id, r.to_id, r.relation, r.document_id, d.trust
    FROM engine.relation r JOIN engine.document d ON d.id = r.document_id
   WHERE d.project_id = $1 AND d.organization_id = $2 AND ${visibleTo('$3', 'd')}`;

const neighboursSql = `
  WITH RECURSIVE near (id, distance) AS (
    SELECT $4::text, 0
     UNION
    SELECT next.id, near.distance + 1 FROM near
     CROSS JOIN LATERAL (
       SELECT CASE e.from_id WHEN near.id THEN e.to_id ELSE e.from_id END AS id
         FROM (${visibleEdges} AND (r.from_id = near.id OR r.to_id = near.id) LIMIT $6) AS e) AS next
     WHERE near.distance < $5),
  nearest AS (
    SELECT id, min(distance) AS distance FROM (SELECT * FROM near LIMIT ${mostEdges}) AS seen GROUP BY id)
  SELECT a.name AS from, e.relation, b.name AS to, e.document_id, e.trust,
         least(x.distance, y.distance) + 1 AS distance
    FROM (${visibleEdges}) AS e
    JOIN nearest x ON x.id = e.from_id JOIN nearest y ON y.id = e.to_id
    JOIN engine.entity a ON a.id = e.from_id JOIN engine.entity b ON b.id = e.to_id
   WHERE least(x.distance, y.distance) < $5
   ORDER BY distance, a.name, e.relation, b.name LIMIT $6`;

const pathsSql = `
  WITH RECURSIVE walk (id, path, relations, untrusted) AS (
    SELECT $4::text, ARRAY[$4::text], ARRAY[]::text[], false
     UNION ALL
    SELECT next.id, walk.path || next.id, walk.relations || next.relation, walk.untrusted OR next.untrusted FROM walk
     CROSS JOIN LATERAL (
       SELECT CASE e.from_id WHEN walk.id THEN e.to_id ELSE e.from_id END AS id,
              CASE e.from_id WHEN walk.id THEN e.relation ELSE '<-' || e.relation END AS relation,
              bool_and(e.trust = 'untrusted') AS untrusted
         FROM (${visibleEdges} AND (r.from_id = walk.id OR r.to_id = walk.id) LIMIT 200) AS e GROUP BY 1, 2) AS next
     WHERE walk.id <> $7 AND cardinality(walk.path) <= $5 AND NOT next.id = ANY (walk.path))
  SELECT (SELECT array_agg(n.name ORDER BY p.at) FROM unnest(found.path) WITH ORDINALITY AS p(id, at)
            JOIN engine.entity n ON n.id = p.id) AS entities, found.relations, found.untrusted
    FROM (SELECT * FROM (SELECT * FROM walk LIMIT 20000) AS walked WHERE id = $7
           ORDER BY cardinality(path) LIMIT $6) AS found`;

/** The relations between entities, as far as a reader may see them. */
@Injectable()
export class GraphRepository {
  constructor(private readonly db: DataSource) {}

  async entity(owner: ProjectScope, reader: Reader, name: string): Promise<FoundEntity | null> {
    const rows = (await this.db.query(
      `SELECT e.id, e.name, jsonb_agg(jsonb_build_object('kind', m.kind, 'description', m.description, 'document_id', d.id,
              'trust', d.trust) ORDER BY d.id DESC) AS mentions
         FROM engine.entity e JOIN engine.mention m ON m.entity_id = e.id JOIN engine.document d ON d.id = m.document_id
        WHERE e.project_id = $1 AND d.organization_id = $2 AND ${visibleTo('$3', 'd')} AND e.name_key = $4
        GROUP BY e.id, e.name`,
      [owner.projectId, owner.organizationId, reader, nameKey(name)],
    )) as FoundEntity[];
    return rows[0] ?? null;
  }

  /** Relations at most `depth` steps away, nearest first. */
  async neighbours(
    owner: ProjectScope,
    reader: Reader,
    id: string,
    depth: number,
    limit: number,
  ): Promise<FoundRelation[]> {
    const { projectId, organizationId } = owner;
    return (await this.db.query(neighboursSql, [
      projectId,
      organizationId,
      reader,
      id,
      depth,
      limit,
    ])) as FoundRelation[];
  }

  /** Paths of at most `depth` steps without repeated entities, shortest first. */
  async paths(
    owner: ProjectScope,
    reader: Reader,
    from: string,
    to: string,
    depth: number,
    limit: number,
  ): Promise<FoundPath[]> {
    const { projectId, organizationId } = owner;
    return (await this.db.query(pathsSql, [projectId, organizationId, reader, from, depth, limit, to])) as FoundPath[];
  }
}
