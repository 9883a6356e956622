import { Sweeping } from '#libs/database';
import { Inject, Injectable } from '@nestjs/common';
import type { GatewaySettings } from '../env.js';
import { SETTINGS } from '../tokens.js';
import { WebChatStreams } from './web-chat-streams.js';
import { type NewMessage, WebChatRepository } from './web-chat.repository.js';

const sweepEveryMs = 60_000;

/** Keeps what is said in web chats, for pages that are open and for those that will be. */
@Injectable()
export class Mailbox extends Sweeping {
  constructor(
    private readonly messages: WebChatRepository,
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
  }

  /** Resolves once it is stored; storing it again changes nothing. */
  async keep(message: NewMessage): Promise<void> {
    await this.messages.keep(message, this.settings.WEB_CHAT_MESSAGES_KEPT);
    this.streams.soon();
  }
}
