import type { MessageAction } from '#libs/adapter-sdk';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

export type WebChatAuthor = 'visitor' | 'agent';

/** One visitor's conversation in a web chat. Its row is locked by whoever adds a message, so that numbers are read in order. */
@Entity({ schema: 'gateway', name: 'web_chat_conversation' })
export class WebChatConversation {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'web_chat_conversation_pkey' }) app_id: string;
  /** Its channel address: `user:` and the site's name of a visitor, or `anon:` and the digest of a browser's secret. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'web_chat_conversation_pkey' }) visitor: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  /** Of its newest message. */
  @Column({ type: 'integer' }) last_seq: number;
  @Column({ type: 'timestamptz', default: () => 'now()' }) updated_at: Date;
}

/** A message of a web chat: what a visitor wrote, and what waits for the visitor's page or was read by it. */
@Entity({ schema: 'gateway', name: 'web_chat_message' })
@Unique('web_chat_message_once', ['app_id', 'visitor', 'author', 'id'])
@Index('web_chat_message_age', ['created_at'])
export class WebChatMessage {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'web_chat_message_pkey' }) app_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'web_chat_message_pkey' }) visitor: string;
  /** Its place in the conversation. */
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'web_chat_message_pkey' }) seq: number;
  @Column({ type: 'text' }) author: WebChatAuthor;
  /** Of the visitor's page, or the key of the delivery: a repetition changes nothing. */
  @Column({ type: 'text' }) id: string;
  @Column({ type: 'text' }) text: string;
  @Column({ type: 'text' }) format: 'markdown' | 'plain';
  /** What the visitor can choose; null: nothing. */
  @Column({ type: 'jsonb', nullable: true }) actions: MessageAction[] | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}
