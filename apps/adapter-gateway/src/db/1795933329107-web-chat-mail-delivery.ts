import { buildLargeIndex, dropLargeIndex } from '#libs/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const on = 'gateway.web_chat_mail (delivery_id) WHERE delivery_id IS NOT NULL';

/** The retention of deliveries finds the mails among them. The previous release finds them without it, more slowly. */
export class WebChatMailDelivery1795933329107 implements MigrationInterface {
  /** Its table stays open for writes while it is indexed. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildLargeIndex(runner, { name: 'gateway.web_chat_mail_delivery', on });
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropLargeIndex(runner, 'gateway.web_chat_mail_delivery');
  }
}
