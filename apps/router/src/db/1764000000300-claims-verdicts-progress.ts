import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Claims are known by a digest of their App and dedup key: a quarter of the bytes, of one length. */
export class ClaimsVerdictsProgress1764000000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE router.claim RENAME TO claim_by_text');
    await runner.query(`
      CREATE TABLE router.claim (
        key uuid CONSTRAINT claim_key PRIMARY KEY,
        message_id text NOT NULL,
        receipt_id text NOT NULL,
        claimed_at timestamptz NOT NULL
      )`);
    await runner.query(`
      INSERT INTO router.claim (key, message_id, receipt_id, claimed_at)
      SELECT left(encode(sha256(convert_to(app_id || ' ' || dedup_key, 'UTF8')), 'hex'), 32)::uuid,
             message_id, receipt_id, claimed_at
        FROM router.claim_by_text ORDER BY claimed_at`);
    await runner.query('DROP TABLE router.claim_by_text');
    await runner.query('CREATE INDEX claim_by_time ON router.claim USING brin (claimed_at)');
    await runner.query('ALTER TABLE router.message ADD unlisted_verdicts integer NOT NULL DEFAULT 0');
    await runner.query('ALTER TABLE router.message ALTER unlisted_verdicts DROP DEFAULT');
    await runner.query('ALTER TABLE router.turn ADD progress integer NOT NULL DEFAULT 0');
    await runner.query(`
      CREATE TABLE router.replay_key (
        project_id text NOT NULL,
        key text NOT NULL,
        request text NOT NULL,
        run_ids text[] NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (project_id, key)
      )`);
    await runner.query('ALTER TABLE router.session_mark ADD delivery_id text');
    await runner.query(
      'CREATE UNIQUE INDEX session_mark_delivery ON router.session_mark (delivery_id) WHERE delivery_id IS NOT NULL',
    );
  }

  /** A digest does not give its key back: what was claimed before may be claimed once more. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE router.replay_key');
    await runner.query('ALTER TABLE router.session_mark DROP COLUMN delivery_id');
    await runner.query('ALTER TABLE router.turn DROP COLUMN progress');
    await runner.query('ALTER TABLE router.message DROP COLUMN unlisted_verdicts');
    await runner.query('DROP TABLE router.claim');
    await runner.query(`
      CREATE TABLE router.claim (
        app_id text NOT NULL,
        dedup_key text NOT NULL,
        message_id text NOT NULL,
        receipt_id text NOT NULL,
        claimed_at timestamptz NOT NULL,
        PRIMARY KEY (app_id, dedup_key)
      )`);
    await runner.query('CREATE INDEX ON router.claim USING brin (claimed_at)');
  }
}
