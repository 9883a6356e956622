import type { MigrationInterface, QueryRunner } from 'typeorm';

const forgetReceipts = 'journal.forget_left_receipts(text, text, text[])';
const forgetLeft = 'journal.forget_left(text, text, integer)';
const asOwner = 'LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp';

/** Asked in each statement: rows that arrive once it comes back are not what it has left. */
const isLeft = `EXISTS (SELECT FROM journal.project_hold h WHERE h.project_id = project
  AND h.organization_id = organization AND h.state = 'left' AND h.ended_at IS NOT NULL)`;

const refuseOthers = `IF NOT ${isLeft} THEN
  RAISE EXCEPTION 'only a project that has left, and of which nothing is handed on, is forgotten';
END IF;`;

const isOf = (t: string): string => `${t}.project_id = project AND ${t}.organization_id = organization`;

/**
 * Deletes what the journal has of a project that has left for good, so that it can come back: what it says of events ends
 * with `handed_on`, which those that come back have not. Entries have no index by project: they are found by their receipts,
 * as those are deleted, or by the indexes of lists. The previous release does not call it.
 */
export class ForgetLeft1795928000577 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE FUNCTION journal.forget_left_receipts(project text, organization text, receipts text[]) RETURNS bigint
       ${asOwner} AS $$
       DECLARE
         gone bigint;
       BEGIN
         IF coalesce(cardinality(receipts), 0) = 0 THEN
           RETURN 0;
         END IF;
         ${refuseOthers}
         DELETE FROM journal.entry e WHERE e.receipt_id = ANY(receipts) AND ${isOf('e')} AND ${isLeft};
         GET DIAGNOSTICS gone = ROW_COUNT;
         RETURN gone;
       END $$`,
    );
    // Of each at most so many, in this order: 0 says that there is none of any.
    await runner.query(
      `CREATE FUNCTION journal.forget_left(project text, organization text, most integer) RETURNS bigint
       ${asOwner} AS $$
       DECLARE
         gone bigint;
       BEGIN
         ${refuseOthers}
         gone := journal.forget_left_receipts(project, organization, ARRAY(
           (SELECT e.receipt_id FROM journal.entry e WHERE ${isOf('e')} AND e.stage = 'received' LIMIT most) UNION
           (SELECT e.receipt_id FROM journal.entry e WHERE ${isOf('e')} AND e.terminal AND e.outcome <> 'routed' LIMIT most)));
         IF gone > 0 THEN
           RETURN gone;
         END IF;
         DELETE FROM journal.dead_letter WHERE ${isLeft} AND id IN (
           SELECT d.id FROM journal.dead_letter d WHERE ${isOf('d')} LIMIT most);
         GET DIAGNOSTICS gone = ROW_COUNT;
         IF gone > 0 THEN
           RETURN gone;
         END IF;
         DELETE FROM journal.batch_item WHERE ${isLeft} AND (batch_id, subject_id) IN (
           SELECT i.batch_id, i.subject_id FROM journal.batch_item i JOIN journal.batch b ON b.id = i.batch_id
            WHERE ${isOf('b')} LIMIT most);
         GET DIAGNOSTICS gone = ROW_COUNT;
         IF gone > 0 THEN
           RETURN gone;
         END IF;
         DELETE FROM journal.batch WHERE ${isLeft} AND id IN (
           SELECT b.id FROM journal.batch b WHERE ${isOf('b')} LIMIT most);
         GET DIAGNOSTICS gone = ROW_COUNT;
         RETURN gone;
       END $$`,
    );
    await runner.query(`REVOKE ALL ON FUNCTION ${forgetReceipts}, ${forgetLeft} FROM PUBLIC`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP FUNCTION ${forgetLeft}, ${forgetReceipts}`);
  }
}
