/** Documents in searchable chunks, and the graph of the entities that they name. */
export const knowledge = [
  `CREATE TABLE engine.document (
     id text NOT NULL,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     title text NOT NULL,
     content text NOT NULL,
     content_sha256 text NOT NULL,
     source text NOT NULL,
     uri text,
     trust text NOT NULL,
     audience text NOT NULL,
     provenance jsonb NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now(),
     CONSTRAINT document_pkey PRIMARY KEY (id),
     CONSTRAINT document_same UNIQUE (project_id, source, content_sha256)
   )`,
  'CREATE INDEX document_project ON engine.document (project_id, id)',
  `CREATE TABLE engine.chunk (
     document_id text NOT NULL,
     seq integer NOT NULL,
     project_id text NOT NULL,
     start integer NOT NULL,
     text text NOT NULL,
     CONSTRAINT chunk_pkey PRIMARY KEY (document_id, seq)
   )`,
  `CREATE INDEX chunk_search ON engine.chunk USING gin (to_tsvector('simple', text))`,
  `CREATE TABLE engine.entity (
     id text NOT NULL,
     project_id text NOT NULL,
     name text NOT NULL,
     name_key text NOT NULL,
     CONSTRAINT entity_pkey PRIMARY KEY (id),
     CONSTRAINT entity_name UNIQUE (project_id, name_key)
   )`,
  `CREATE TABLE engine.mention (
     document_id text NOT NULL,
     entity_id text NOT NULL,
     kind text,
     description text,
     CONSTRAINT mention_pkey PRIMARY KEY (document_id, entity_id)
   )`,
  'CREATE INDEX mention_entity ON engine.mention (entity_id)',
  `CREATE TABLE engine.relation (
     document_id text NOT NULL,
     from_id text NOT NULL,
     relation text NOT NULL,
     to_id text NOT NULL,
     CONSTRAINT relation_pkey PRIMARY KEY (document_id, from_id, relation, to_id)
   )`,
  'CREATE INDEX relation_from ON engine.relation (from_id)',
  'CREATE INDEX relation_to ON engine.relation (to_id)',
  // The last accepted version of a source's document. It outlives the document, so that a late, older version is
  // recognised.
  `CREATE TABLE engine.synced_document (
     id text NOT NULL,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     revision integer NOT NULL,
     outcome text NOT NULL,
     document_id text NOT NULL,
     taken_at timestamptz NOT NULL,
     CONSTRAINT synced_document_pkey PRIMARY KEY (id)
   )`,
];
