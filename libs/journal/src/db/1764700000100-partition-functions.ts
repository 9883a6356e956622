import { ensureDailyPartitions, partitionFunctions, partitionSignatures } from '#libs/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Services write the journal, and own nothing of it: its retention runs by functions of who migrates. */
export class PartitionFunctions1764700000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of partitionFunctions('journal.entry', 'at')) await runner.query(statement);
    await runner.query(`
      CREATE FUNCTION journal.forget_before(before timestamptz) RETURNS void
      LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      BEGIN
        IF before > now() - interval '1 day' THEN
          RAISE EXCEPTION 'what is younger than a day stays in the journal';
        END IF;
        DELETE FROM journal.dead_letter WHERE at < before;
        DELETE FROM journal.batch WHERE created_at < before;
      END $$`);
    await runner.query('REVOKE ALL ON FUNCTION journal.forget_before(timestamptz) FROM PUBLIC');
    await ensureDailyPartitions(runner, 'journal.entry');
  }

  async down(runner: QueryRunner): Promise<void> {
    const functions = ['journal.forget_before(timestamptz)', ...partitionSignatures('journal.entry')];
    await runner.query(`DROP FUNCTION ${functions.join(', ')}`);
  }
}
