import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A project may be kept for a shorter time than the installation: what is told of its old receipts goes with them. */
export class ForgetReceipts1765000000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION journal.forget_receipts(project text, receipts text[], before timestamptz) RETURNS void
      LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      BEGIN
        -- Retention is whole days; a minute is for the time between the question and this.
        IF before > now() - interval '23 hours 59 minutes' THEN
          RAISE EXCEPTION 'what is younger than a day stays in the journal';
        END IF;
        DELETE FROM journal.dead_letter WHERE receipt_id = ANY(receipts) AND project_id = project AND at < before;
        DELETE FROM journal.entry WHERE receipt_id = ANY(receipts) AND project_id = project AND at < before;
      END $$`);
    await runner.query('REVOKE ALL ON FUNCTION journal.forget_receipts(text, text[], timestamptz) FROM PUBLIC');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION journal.forget_receipts(text, text[], timestamptz)');
  }
}
