import type { MigrationInterface, QueryRunner } from 'typeorm';

/** By what each mail that arrives at an App is looked up. The previous release reads all settings for each. */
export class WebChatMailOfApp1795916696872 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX web_chat_mail_setting_of_app ON gateway.web_chat_mail_setting (mail_app_id)
       WHERE mail_app_id IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX gateway.web_chat_mail_setting_of_app');
  }
}
