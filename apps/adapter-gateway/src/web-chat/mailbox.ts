import type { AttachedFile } from '#libs/adapter-sdk';
import { Sweeping } from '#libs/database';
import { Inject, Injectable } from '@nestjs/common';
import { type GatewaySettings, SETTINGS } from '../env.js';
import type { VisitorMailbox } from '../path/deliveries/deliver-call.js';
import { WebChatFileRepository } from './web-chat-file.repository.js';
import { WebChatStreams } from './web-chat-streams.js';
import { type NewMessage, WebChatRepository } from './web-chat.repository.js';

const sweepEveryMs = 60_000;

/** Keeps what is said in web chats, for pages that are open and for those that will be. */
@Injectable()
export class Mailbox extends Sweeping implements VisitorMailbox {
  constructor(
    private readonly messages: WebChatRepository,
    private readonly files: WebChatFileRepository,
    private readonly streams: WebChatStreams,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {
    super();
    this.sweepEvery({
      name: 'web-chat',
      everyMs: sweepEveryMs,
      batch: 1_000,
      sweep: (limit) => messages.removeOld(settings.WEB_CHAT_DAYS, limit),
    });
    this.sweepEvery({
      name: 'web-chat-files',
      everyMs: sweepEveryMs,
      batch: 100,
      sweep: (limit) => files.removeOld(settings.WEB_CHAT_DAYS, limit),
    });
  }

  /** Resolves once it is stored; storing it again changes nothing. */
  async keep(message: NewMessage): Promise<void> {
    await this.messages.keep(message, this.settings.WEB_CHAT_MESSAGES_KEPT);
    this.streams.soon();
  }

  /** An answer. Its files are stored first: no page hears of one that is not there. */
  async keepAnswer({
    files,
    receiptId,
    ...message
  }: Omit<NewMessage, 'files' | 'author' | 'mail'> & { files: AttachedFile[]; receiptId: string }): Promise<void> {
    const heads = [];
    for (const [index, file] of files.entries()) {
      const id = `${message.id}.${index + 1}`;
      await this.files.keep(message, 'agent', id, file);
      heads.push({ id, name: file.name, content_type: file.contentType, size: file.bytes.length });
    }
    const mail = { receiptId, awayMs: this.settings.WEB_CHAT_AWAY_AFTER_MS };
    await this.keep({ ...message, author: 'agent', files: heads.length > 0 ? heads : null, mail });
  }
}
