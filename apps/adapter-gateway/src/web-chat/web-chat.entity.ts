import type { MessageAction } from '#libs/adapter-sdk';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

export type WebChatAuthor = 'visitor' | 'agent';

/** A file, as a page sees it. */
export interface WebChatFileHead {
  id: string;
  name: string;
  content_type: string;
  size: number;
}

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
  /** The newest message that an open page has been sent. Kept only where answers also go by mail, as `seen_at` is. */
  @Column({ type: 'integer', default: 0 }) seen_seq: number;
  /** When the visitor last had a page open. Null: not since that was first kept. */
  @Column({ type: 'timestamptz', nullable: true }) seen_at: Date | null;
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
  /** Null: it has none. */
  @Column({ type: 'jsonb', nullable: true }) files: WebChatFileHead[] | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}

/** A file of a web chat: what its visitor has sent, named by a message or not yet, or what an answer brought. */
@Entity({ schema: 'gateway', name: 'web_chat_file' })
@Index('web_chat_file_age', ['created_at'])
@Index('web_chat_file_of_app', ['app_id', 'created_at'])
export class WebChatFile {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'web_chat_file_pkey' }) app_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'web_chat_file_pkey' }) visitor: string;
  /** Of the visitor's page; or the message of the answer, a dot and a number, which no page can choose. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'web_chat_file_pkey' }) id: string;
  @Column({ type: 'text' }) author: WebChatAuthor;
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'text' }) content_type: string;
  @Column({ type: 'integer' }) size: number;
  @Column({ type: 'bytea' }) content: Buffer;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}
