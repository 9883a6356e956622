import type { MigrationInterface, QueryRunner } from 'typeorm';

/** People save the filters of lists. The previous release does not read the table. */
export class SavedView1795869304000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE portal.saved_view (
         id text NOT NULL,
         organization_id text NOT NULL,
         project_id text NOT NULL,
         list text NOT NULL,
         name text NOT NULL,
         search jsonb NOT NULL,
         shared boolean NOT NULL,
         made_by text NOT NULL,
         created_at timestamptz NOT NULL DEFAULT now(),
         CONSTRAINT saved_view_pkey PRIMARY KEY (id)
       )`,
    );
    await runner.query('CREATE INDEX saved_view_by_project ON portal.saved_view (project_id, list, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE portal.saved_view');
  }
}
