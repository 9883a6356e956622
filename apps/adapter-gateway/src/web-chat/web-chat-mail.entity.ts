import { WorkRow } from '#libs/work';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/** Through which App a web chat's answers go by mail while their visitor is away. */
@Entity({ schema: 'gateway', name: 'web_chat_mail_setting' })
@Index('web_chat_mail_setting_of_app', ['mail_app_id'], { where: 'mail_app_id IS NOT NULL' })
export class WebChatMailSetting {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'web_chat_mail_setting_pkey' }) app_id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  /** Null: none goes. */
  @Column({ type: 'text', nullable: true }) mail_app_id: string | null;
  /** Of the mails; null: one that names the App. */
  @Column({ type: 'text', nullable: true }) subject: string | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) updated_at: Date;
}

/** The mail address of a web chat's visitor. */
@Entity({ schema: 'gateway', name: 'web_chat_address' })
@Unique('web_chat_address_thread', ['thread_id'])
@Index('web_chat_address_email', ['app_id', 'email'])
export class WebChatAddress {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'web_chat_address_pkey' }) app_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'web_chat_address_pkey' }) visitor: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) email: string;
  /** `site`: its token names it. `code`: the visitor had the code that was sent there. Null: nothing else goes there. */
  @Column({ type: 'text', nullable: true }) verified_by: 'site' | 'code' | null;
  /** The visitor wants no answers there. */
  @Column({ type: 'timestamptz', nullable: true }) off_at: Date | null;
  @Column({ type: 'text', nullable: true }) code_hash: string | null;
  @Column({ type: 'timestamptz', nullable: true }) code_until: Date | null;
  /** Wrong ones since the code was sent. */
  @Column({ type: 'integer', default: 0 }) code_tries: number;
  /** Message-ID that all mails to it answer. Nobody guesses it: a mail in its thread continues the conversation. */
  @Column({ type: 'text' }) thread_id: string;
  @Column({ type: 'timestamptz', default: () => 'now()' }) updated_at: Date;
}

/** An address that a web chat has written to, and the token of the link by which it is written to no more. */
@Entity({ schema: 'gateway', name: 'web_chat_recipient' })
@Unique('web_chat_recipient_token', ['token'])
export class WebChatRecipient {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'web_chat_recipient_pkey' }) app_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'web_chat_recipient_pkey' }) email: string;
  @Column({ type: 'text' }) token: string;
  @Column({ type: 'timestamptz', nullable: true }) off_at: Date | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) updated_at: Date;
}

/**
 * `handed`: its delivery is committed, and decides. `sent`: the mail App's provider has it. `shown`: the visitor was or
 * came back before it left.
 */
export type WebChatMailState = 'queued' | 'running' | 'handed' | 'sent' | 'shown' | 'dead';

/** A mail to a visitor: an answer, which waits until it is certain that nobody reads it on a page, or a code. */
@Entity({ schema: 'gateway', name: 'web_chat_mail' })
@Unique('web_chat_mail_once', ['app_id', 'visitor', 'message_id'])
@Index('web_chat_mail_delivery', ['delivery_id'], { where: `delivery_id IS NOT NULL` })
@Index('web_chat_mail_due', ['due_at'], { where: `"state" IN ('queued', 'running')` })
@Index('web_chat_mail_handed', ['created_at'], { where: `"state" = 'handed'` })
@Index('web_chat_mail_of_address', ['organization_id', 'email', 'created_at'])
@Index('web_chat_mail_of_network', ['network', 'created_at'])
@Index('web_chat_mail_codes_of_app', ['app_id', 'created_at'], { where: `"kind" = 'code'` })
@Index('web_chat_mail_age', ['created_at'])
export class WebChatMail extends WorkRow<WebChatMailState> {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'web_chat_mail_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) app_id: string;
  @Column({ type: 'text' }) visitor: string;
  @Column({ type: 'text' }) kind: 'answer' | 'code';
  /** Of the answer in the conversation: the key of its delivery. */
  @Column({ type: 'text', nullable: true }) message_id: string | null;
  @Column({ type: 'integer', nullable: true }) seq: number | null;
  /** The event that the answer answers. */
  @Column({ type: 'text', nullable: true }) receipt_id: string | null;
  /** Where it went; the limits count it. */
  @Column({ type: 'text', nullable: true }) email: string | null;
  /** Digest of the network that asked for a code; the limits count it. */
  @Column({ type: 'text', nullable: true }) network: string | null;
  /** The delivery by the mail App. */
  @Column({ type: 'text', nullable: true }) delivery_id: string | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}
