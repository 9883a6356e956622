import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ToldSkills1764100000200 implements MigrationInterface {
  readonly name = 'ToldSkills1764100000200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.adapter ADD COLUMN skill_told integer');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.adapter DROP COLUMN skill_told');
  }
}
