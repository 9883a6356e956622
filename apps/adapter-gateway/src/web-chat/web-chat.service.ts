import { scopeOf } from '#libs/contracts';
import { bySetting, limitReached, networkOf, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { type GatewaySettings, INGRESS, SETTINGS } from '../env.js';
import { AddressRate } from './address-rate.js';
import { Mailbox } from './mailbox.js';
import { WebChatAddresses } from './web-chat-addresses.js';
import type { ChatMessage } from './web-chat.dto.js';
import { WebChatFiles } from './web-chat-files.js';
import type { Visit } from './web-chat-sites.js';
import { WebChatRepository } from './web-chat.repository.js';

const windowSeconds = 60;

/** Takes what visitors write. */
@Injectable()
export class WebChatService {
  private readonly written = new AddressRate();

  constructor(
    private readonly messages: WebChatRepository,
    private readonly mailbox: Mailbox,
    private readonly files: WebChatFiles,
    private readonly addresses: WebChatAddresses,
    @Inject(INGRESS) private readonly ingress: ServiceClient,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  /**
   * Resolves once the ingress has stored it: from there it takes the path of every webhook. It is shown only after that, so
   * that no page shows what nobody received; a page that heard nothing repeats it under the same id.
   * @throws Problem 422, 429, and those of the ingress
   */
  async take(visit: Visit, { id, text, choice, files: named }: ChatMessage, address: string): Promise<void> {
    const { app, visitor } = visit;
    const of = { appId: app.id, visitor: visitor.id };
    await this.requireRate(of, address);
    // Before the message: its answer goes where the token says.
    await this.addresses.known(visit);
    const files = await this.files.named(of, named);
    const action = choice ? await this.chosen(of, choice) : null;
    const { signed, until: _until, ...who } = visitor;
    const body = {
      id,
      visitor: { ...who, signed },
      ...(action ? { action } : { text }),
      ...(files.length > 0 ? { files } : {}),
    };
    const scope = scopeOf(app);
    const request = { as: 'fetched', id: `web chat ${visitor.id} ${id}`, body: JSON.stringify(body) };
    await this.ingress.post(`/internal/apps/${app.id}/fetched-requests`, scope, request);
    await this.mailbox.keep({
      ...of,
      ...scope,
      author: 'visitor',
      id,
      text: action?.label ?? text,
      format: 'plain',
      actions: null,
      files: files.length > 0 ? files : null,
    });
  }

  /** The visitor's own message offered it: what a page sends is only which. */
  private async chosen(
    of: { appId: string; visitor: string },
    { message, action }: NonNullable<ChatMessage['choice']>,
  ): Promise<{ id: string; value: string; label: string; message_id: string }> {
    const found = (await this.messages.offered(of, message))?.find(({ id }) => id === action);
    if (!found) {
      throw new Problem(422, 'choice_not_found', 'No message of this conversation offers this choice.');
    }
    return { id: found.id, value: found.value, label: found.label, message_id: message };
  }

  private async requireRate(of: { appId: string; visitor: string }, address: string): Promise<void> {
    const { WEB_CHAT_RATE_PER_VISITOR: perVisitor, WEB_CHAT_RATE_PER_ADDRESS: perAddress } = this.settings;
    const full = (name: string, of: 'token' | 'address', value: number, waitS: number): Problem => {
      const limit = { name, of, value, window_seconds: windowSeconds, raise: bySetting(name, 'adapter-gateway') };
      return limitReached('too_many_messages', 'Too many messages', limit, waitS);
    };
    const waitMs = this.written.waitOf(networkOf(address), perAddress);
    if (waitMs > 0) throw full('WEB_CHAT_RATE_PER_ADDRESS', 'address', perAddress, waitMs / 1_000);
    if ((await this.messages.writtenLately(of)) >= perVisitor) {
      throw full('WEB_CHAT_RATE_PER_VISITOR', 'token', perVisitor, 10);
    }
  }
}
