import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Approvals that wait already have no pin: those of the registry's tools are not made, and the model may ask again. */
export class ApprovalPins1764100000100 implements MigrationInterface {
  readonly name = 'ApprovalPins1764100000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE engine.approval ADD COLUMN tool_pin text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE engine.approval DROP COLUMN tool_pin');
  }
}
