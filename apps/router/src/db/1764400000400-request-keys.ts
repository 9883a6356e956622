import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys of all requests that make work, with whatever was answered: those of replays among them. */
export class RequestKeys1764400000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE router.replay_key RENAME TO request_key');
    await runner.query('ALTER TABLE router.request_key ADD answer jsonb');
    await runner.query(`UPDATE router.request_key SET answer = jsonb_build_object('run_ids', run_ids)`);
    await runner.query('ALTER TABLE router.request_key DROP COLUMN run_ids');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE router.request_key RENAME TO replay_key');
    await runner.query(`ALTER TABLE router.replay_key ADD run_ids text[] NOT NULL DEFAULT '{}'`);
    await runner.query(`
      UPDATE router.replay_key k SET run_ids = ARRAY(SELECT jsonb_array_elements_text(k.answer -> 'run_ids'))
       WHERE jsonb_typeof(k.answer -> 'run_ids') = 'array'`);
    await runner.query('ALTER TABLE router.replay_key ALTER run_ids DROP DEFAULT, DROP COLUMN answer');
  }
}
