import { handoverTables } from '#libs/journal';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a turn sent stands in its own row; what the gateway has of it, the journal tells. */
export class RepliesInTurns1764800000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE engine.turn ADD COLUMN answer_id text, ADD COLUMN notice_id text');
    await runner.query(`
      UPDATE engine.turn t SET answer_id = s.answer_id, notice_id = s.notice_id
        FROM (SELECT turn_id, min(delivery_id) FILTER (WHERE kind = 'answer') AS answer_id,
                     min(delivery_id) FILTER (WHERE kind = 'failure_notice') AS notice_id
                FROM engine.reply GROUP BY turn_id) s
       WHERE t.id = s.turn_id`);
    for (const statement of handoverTables('engine')) await runner.query(statement);
    await runner.query(`
      INSERT INTO engine.stale_handover (subject_id, owner_id, receipt_id, next_at)
      SELECT delivery_id, turn_id, receipt_id, now() FROM engine.reply WHERE state = 'open'`);
    await runner.query(`
      CREATE INDEX turn_sent ON engine.turn (finished_at) WHERE answer_id IS NOT NULL OR notice_id IS NOT NULL`);
    await runner.query('DROP TABLE engine.reply');
  }

  async down(): Promise<void> {
    throw new Error('Replies are not moved back: restore the database as it was before.');
  }
}
