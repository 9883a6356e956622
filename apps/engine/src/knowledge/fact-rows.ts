import { newId } from '#libs/contracts';
import { storableJson } from '#libs/database';

export interface Facts {
  entities: { name: string; kind?: string; description?: string }[];
  relations: { from: string; relation: string; to: string }[];
}

/** Runs the statements; usually a transaction. */
export interface Statements {
  query(sql: string, parameters: unknown[]): Promise<unknown>;
}

/** Names are compared without regard to case and spacing. */
export function nameKey(name: string): string {
  return name.trim().replace(/\s+/g, ' ').toLowerCase();
}

/** Stores a document's entities, by name, and relations. Entities of a relation need no entry of their own. */
export async function storeFacts(db: Statements, projectId: string, documentId: string, facts: Facts): Promise<void> {
  const entities = new Map<
    string,
    { id: string; name: string; key: string; kind: string | null; description: string | null }
  >();
  const named = [...facts.entities, ...facts.relations.flatMap(({ from, to }) => [{ name: from }, { name: to }])];
  for (const { name, kind, description } of named as Facts['entities']) {
    const key = nameKey(name);
    if (key === '') continue;
    const known = entities.get(key);
    if (!known)
      entities.set(key, {
        id: newId('ent'),
        name: name.trim(),
        key,
        kind: kind ?? null,
        description: description ?? null,
      });
  }
  if (entities.size === 0) return;
  // In the same order everywhere, so that two documents with the same names cannot deadlock.
  const sorted = [...entities.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  await db.query(
    `INSERT INTO engine.entity (id, project_id, name, name_key)
     SELECT e.id, $1, e.name, e.key FROM jsonb_to_recordset($2::jsonb) AS e(id text, name text, key text) ORDER BY e.key
     ON CONFLICT (project_id, name_key) DO UPDATE SET name = entity.name`,
    [projectId, storableJson(sorted)],
  );
  await db.query(
    `INSERT INTO engine.mention (document_id, entity_id, kind, description)
     SELECT $1, e.id, x.kind, x.description
       FROM jsonb_to_recordset($3::jsonb) AS x(key text, kind text, description text)
       JOIN engine.entity e ON e.project_id = $2 AND e.name_key = x.key`,
    [documentId, projectId, storableJson(sorted)],
  );
  const relations = facts.relations.map(({ from, relation, to }) => ({
    from: nameKey(from),
    relation: relation.trim(),
    to: nameKey(to),
  }));
  await db.query(
    `INSERT INTO engine.relation (document_id, from_id, relation, to_id)
     SELECT $1, a.id, x.relation, b.id FROM jsonb_to_recordset($3::jsonb) AS x("from" text, relation text, "to" text)
       JOIN engine.entity a ON a.project_id = $2 AND a.name_key = x."from"
       JOIN engine.entity b ON b.project_id = $2 AND b.name_key = x."to"
     ON CONFLICT DO NOTHING`,
    [documentId, projectId, storableJson(relations)],
  );
}
