import type { MigrationInterface, QueryRunner } from 'typeorm';

/** By what each mail that arrives, and each code that is asked for, is looked up. The previous release only writes them. */
export class WebChatMailLookups1795896226318 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX web_chat_address_email ON gateway.web_chat_address (app_id, email)');
    await runner.query(
      `CREATE INDEX web_chat_mail_codes_of_app ON gateway.web_chat_mail (app_id, created_at) WHERE kind = 'code'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX gateway.web_chat_mail_codes_of_app');
    await runner.query('DROP INDEX gateway.web_chat_address_email');
  }
}
