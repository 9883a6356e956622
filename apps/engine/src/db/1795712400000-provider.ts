import { changeTriggers } from '#libs/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Every replica caches a project's providers until it is notified of a change. The function for it exists. */
const [, ...triggers] = changeTriggers('engine', [
  { table: 'provider', topic: 'providers', key: 'project_id', except: ['tested'] },
]);

/** Providers of models that projects connect themselves. */
export class Provider1795712400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE engine.provider (
         id text NOT NULL,
         organization_id text NOT NULL,
         project_id text NOT NULL,
         name text NOT NULL,
         kind text NOT NULL,
         base_url text,
         region text,
         cloud_project text,
         credential_ids text[] NOT NULL DEFAULT '{}',
         models text[] NOT NULL DEFAULT '{}',
         default_model text,
         tested jsonb,
         created_at timestamptz NOT NULL DEFAULT now(),
         updated_at timestamptz NOT NULL DEFAULT now(),
         CONSTRAINT provider_pkey PRIMARY KEY (id)
       )`,
    );
    await runner.query('CREATE UNIQUE INDEX provider_by_name ON engine.provider (project_id, name)');
    for (const statement of triggers) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE engine.provider');
  }
}
