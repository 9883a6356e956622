import { Journal } from '#libs/journal';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type GatewaySettings, SETTINGS } from '../env.js';
import { type Conversing, visitorReturned, WebChatRepository } from './web-chat.repository.js';

/** A page that is open, and the last message that it was sent. */
type Present = Conversing & { seq: number };

/** Keeps in Postgres who has a page open, for whoever decides whether an answer goes by mail. */
@Injectable()
export class WebChatPresence {
  private readonly logger = new Logger('web-chat-presence');
  private readonly everyMs: number;
  private lastMs = -Infinity;

  constructor(
    private readonly messages: WebChatRepository,
    private readonly journal: Journal,
    @Inject(SETTINGS) { WEB_CHAT_AWAY_AFTER_MS: awayMs }: GatewaySettings,
  ) {
    // A page that is open is noted so often that it never looks away.
    this.everyMs = Math.min(15_000, awayMs / 4);
  }

  /** Like `note`, now and then. @param readers all that are open here */
  async noteAll(readers: () => Present[]): Promise<void> {
    if (performance.now() - this.lastMs < this.everyMs) return;
    this.lastMs = performance.now();
    await this.note(readers());
  }

  /** Never throws: without it a visitor who is here may get a mail as well. */
  async note(readers: Present[]): Promise<void> {
    if (readers.length === 0) return;
    try {
      const withdrawn = await this.messages.seen(readers.map(({ appId, visitor, seq }) => ({ appId, visitor, seq })));
      for (const { id: subject_id, tries: attempt, ...whose } of withdrawn) {
        this.journal.append({
          ...whose,
          stage: 'delivery',
          outcome: 'expired',
          reason: 'visitor_returned',
          subject_id,
          attempt,
          detail: { text: visitorReturned },
        });
      }
    } catch (error) {
      this.logger.warn({ event: 'web_chat.presence_not_noted', reason: String(error) });
    }
  }
}
