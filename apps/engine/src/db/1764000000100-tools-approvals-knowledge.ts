import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ToolsApprovalsKnowledge1764000000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE engine.agent
        ADD COLUMN skills text[] NOT NULL DEFAULT '{}',
        ADD COLUMN python_tools text[] NOT NULL DEFAULT '{}',
        ADD COLUMN fallback_model text,
        ADD COLUMN may_do text NOT NULL DEFAULT 'write',
        ADD COLUMN approvers text[] NOT NULL DEFAULT '{}',
        ADD COLUMN caps jsonb NOT NULL DEFAULT '{}'`);
    await runner.query('ALTER TABLE engine.turn ADD COLUMN cost_micros integer NOT NULL DEFAULT 0');
    await runner.query(`
      CREATE TABLE engine.tool_call (
        turn_id text NOT NULL,
        seq integer NOT NULL,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        agent_id text NOT NULL,
        call_ref text NOT NULL,
        tool text NOT NULL,
        source text NOT NULL,
        tool_id text,
        grade text NOT NULL,
        arguments_sha256 text NOT NULL,
        outcome text NOT NULL,
        code text,
        duration_ms double precision,
        callback_sha256 text,
        callbacks integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT now(),
        finished_at timestamptz,
        CONSTRAINT tool_call_pkey PRIMARY KEY (turn_id, seq)
      )`);
    await runner.query(
      'CREATE UNIQUE INDEX tool_call_callback ON engine.tool_call (callback_sha256) WHERE callback_sha256 IS NOT NULL',
    );
    await runner.query(`
      CREATE TABLE engine.approval (
        id text NOT NULL,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        agent_id text NOT NULL,
        turn_id text NOT NULL,
        receipt_id text NOT NULL,
        app_id text NOT NULL,
        call_ref text NOT NULL,
        tool text NOT NULL,
        grade text NOT NULL,
        arguments jsonb NOT NULL,
        approvers text[] NOT NULL,
        state text NOT NULL,
        decided_by text,
        note text,
        expires_at timestamptz NOT NULL,
        decided_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT approval_pkey PRIMARY KEY (id),
        CONSTRAINT approval_call UNIQUE (turn_id, call_ref)
      )`);
    await runner.query("CREATE INDEX approval_pending ON engine.approval (expires_at) WHERE state = 'pending'");
    await runner.query('CREATE INDEX approval_project ON engine.approval (project_id, id)');
    await runner.query(`
      CREATE TABLE engine.usage (
        project_id text NOT NULL,
        day date NOT NULL,
        agent_id text NOT NULL,
        contact_id text NOT NULL,
        organization_id text NOT NULL,
        model_calls integer NOT NULL,
        tool_calls integer NOT NULL,
        input_tokens bigint NOT NULL,
        output_tokens bigint NOT NULL,
        cost_micros bigint NOT NULL,
        CONSTRAINT usage_pkey PRIMARY KEY (project_id, day, agent_id, contact_id)
      )`);
    await runner.query(`
      CREATE TABLE engine.document (
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
      )`);
    await runner.query('CREATE INDEX document_project ON engine.document (project_id, id)');
    await runner.query(`
      CREATE TABLE engine.chunk (
        document_id text NOT NULL,
        seq integer NOT NULL,
        project_id text NOT NULL,
        start integer NOT NULL,
        text text NOT NULL,
        CONSTRAINT chunk_pkey PRIMARY KEY (document_id, seq)
      )`);
    await runner.query("CREATE INDEX chunk_search ON engine.chunk USING gin (to_tsvector('simple', text))");
    await runner.query(`
      CREATE TABLE engine.entity (
        id text NOT NULL,
        project_id text NOT NULL,
        name text NOT NULL,
        name_key text NOT NULL,
        CONSTRAINT entity_pkey PRIMARY KEY (id),
        CONSTRAINT entity_name UNIQUE (project_id, name_key)
      )`);
    await runner.query(`
      CREATE TABLE engine.mention (
        document_id text NOT NULL,
        entity_id text NOT NULL,
        kind text,
        description text,
        CONSTRAINT mention_pkey PRIMARY KEY (document_id, entity_id)
      )`);
    await runner.query('CREATE INDEX mention_entity ON engine.mention (entity_id)');
    await runner.query(`
      CREATE TABLE engine.relation (
        document_id text NOT NULL,
        from_id text NOT NULL,
        relation text NOT NULL,
        to_id text NOT NULL,
        CONSTRAINT relation_pkey PRIMARY KEY (document_id, from_id, relation, to_id)
      )`);
    await runner.query('CREATE INDEX relation_from ON engine.relation (from_id)');
    await runner.query('CREATE INDEX relation_to ON engine.relation (to_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DROP TABLE engine.relation, engine.mention, engine.entity, engine.chunk, engine.document, engine.usage,
         engine.approval, engine.tool_call`,
    );
    await runner.query('ALTER TABLE engine.turn DROP COLUMN cost_micros');
    await runner.query(`ALTER TABLE engine.agent DROP COLUMN skills, DROP COLUMN python_tools, DROP COLUMN fallback_model,
      DROP COLUMN may_do, DROP COLUMN approvers, DROP COLUMN caps`);
  }
}
