import { createAuditTable, dropAuditTable } from '#libs/audit';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Every change of a workflow, a trigger or a channel is a version. What the previous release changes meanwhile becomes
 * one with the next change.
 */
export class RuleVersion1795866062107 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of createAuditTable('router')) await runner.query(statement);
    await runner.query(
      `CREATE TABLE router.rule_version (
         project_id text NOT NULL,
         kind text NOT NULL,
         subject text NOT NULL,
         version integer NOT NULL,
         organization_id text NOT NULL,
         fields jsonb NOT NULL,
         restored_from integer,
         made_by text,
         created_at timestamptz NOT NULL DEFAULT now(),
         CONSTRAINT rule_version_pkey PRIMARY KEY (project_id, kind, subject, version)
       )`,
    );
    await runner.query(
      `INSERT INTO router.rule_version (project_id, kind, subject, version, organization_id, fields, created_at)
       SELECT project_id, 'workflow', id::text, 1, organization_id,
              to_jsonb(workflow) - '{project_id,id,organization_id,created_at,updated_at}'::text[], updated_at
         FROM router.workflow
       UNION ALL
       SELECT project_id, 'trigger', id, 1, organization_id,
              to_jsonb(trigger) - '{project_id,id,organization_id,created_at}'::text[], created_at
         FROM router.trigger
       UNION ALL
       SELECT project_id, 'channel', app_id, 1, organization_id,
              to_jsonb(channel) - '{project_id,app_id,organization_id,updated_at}'::text[], updated_at
         FROM router.channel`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE router.rule_version');
    for (const statement of dropAuditTable('router')) await runner.query(statement);
  }
}
