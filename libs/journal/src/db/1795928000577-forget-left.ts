import type { MigrationInterface, QueryRunner } from 'typeorm';

const forgetLeft = 'journal.forget_left(text, text, integer)';

/**
 * Deletes what the journal has of a project that has left for good, so that it can come back: what it says of events ends
 * with `handed_on`, which those that come back have not. The previous release does not call it.
 */
export class ForgetLeft1795928000577 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE FUNCTION journal.forget_left(project text, organization text, receipts integer) RETURNS bigint
       LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
       DECLARE
         gone bigint;
       BEGIN
         IF NOT EXISTS (SELECT FROM journal.project_hold h WHERE h.project_id = project
             AND h.organization_id = organization AND h.state = 'left' AND h.ended_at IS NOT NULL) THEN
           RAISE EXCEPTION 'only a project that has left, and of which nothing is handed on, is forgotten';
         END IF;
         -- Asked in each statement, too: rows that arrive once it comes back are not what it has left.
         DELETE FROM journal.entry e WHERE e.project_id = project AND e.organization_id = organization
            AND e.receipt_id IN (SELECT o.receipt_id FROM journal.entry o
              WHERE o.project_id = project AND o.organization_id = organization LIMIT receipts)
            AND EXISTS (SELECT FROM journal.project_hold h WHERE h.project_id = project AND h.state = 'left');
         GET DIAGNOSTICS gone = ROW_COUNT;
         IF gone > 0 THEN
           RETURN gone;
         END IF;
         DELETE FROM journal.dead_letter d WHERE d.project_id = project AND d.organization_id = organization
            AND EXISTS (SELECT FROM journal.project_hold h WHERE h.project_id = project AND h.state = 'left');
         DELETE FROM journal.batch b WHERE b.project_id = project AND b.organization_id = organization
            AND EXISTS (SELECT FROM journal.project_hold h WHERE h.project_id = project AND h.state = 'left');
         RETURN 0;
       END $$`,
    );
    await runner.query(`REVOKE ALL ON FUNCTION ${forgetLeft} FROM PUBLIC`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP FUNCTION ${forgetLeft}`);
  }
}
