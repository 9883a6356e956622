import { isJsonObject } from '#libs/adapter-sdk';
import { type InboundParsePayload, type NormalizedMessage, scopeOf } from '#libs/contracts';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { InstalledApp } from '../path/apps/installed-apps.js';
import { INGRESS } from '../env.js';
import { Mailbox } from './mailbox.js';
import { type Answered, WebChatAddressRepository } from './web-chat-address.repository.js';
import { addressOf } from './web-chat-addresses.js';

const maxIds = 30;
const maxChars = 20_000;

/** Mails that answer an answer: what they say is the visitor's next message in the web chat. */
@Injectable()
export class WebChatMailReplies {
  constructor(
    private readonly addresses: WebChatAddressRepository,
    private readonly mailbox: Mailbox,
    @Inject(INGRESS) private readonly ingress: ServiceClient,
  ) {}

  /**
   * Hands on the mails that continue a web chat; each again under the same id changes nothing.
   * @returns the messages that are none, and the event of the last that is one
   * @throws those of the ingress: the mail is tried again
   */
  async take(
    { adapter }: InstalledApp,
    job: InboundParsePayload,
    messages: NormalizedMessage[],
  ): Promise<{ left: NormalizedMessage[]; into: string | null }> {
    if (adapter?.manifest.message?.mail !== true) return { left: messages, into: null };
    if (!(await this.addresses.chatsOf(job.organization_id, job.app_id))) return { left: messages, into: null };
    const left: NormalizedMessage[] = [];
    let into: string | null = null;
    for (const [index, message] of messages.entries()) {
      const event = await this.takeOne(job, message, index);
      if (event === null) left.push(message);
      else into = event;
    }
    return { left, into };
  }

  private async takeOne(job: InboundParsePayload, message: NormalizedMessage, index: number): Promise<string | null> {
    const { metadata = {}, event_type: type, is_bot: isBot, thread_id: thread } = message;
    const { sender, reply_context: context, auto_submitted: automatic } = metadata;
    const email = addressOf(isJsonObject(sender) ? sender.email : null);
    // What programs write is routed as any mail is, and there it is not answered.
    if (type !== 'email_received' || isBot || automatic === true || email === null) return null;
    const references = isJsonObject(context) && Array.isArray(context.references) ? context.references : [];
    const ids = [thread, ...references].filter((id): id is string => typeof id === 'string').slice(0, maxIds);
    const to = ids.length > 0 ? await this.addresses.answered(job.app_id, job.organization_id, email, ids) : null;
    if (!to || message.message.trim() === '') return null;
    return this.handOn(to, email, `mail-${job.receipt_id}-${index}`, textOf(message));
  }

  /** The door of fetched requests, as for what the page sends: a receipt of its own, with all that webhooks have. */
  private async handOn({ appId, visitor, ...row }: Answered, email: string, id: string, text: string) {
    const body = { id, visitor: { id: visitor, email, signed: false, by: 'mail' }, text };
    const scope = scopeOf(row);
    const request = { as: 'fetched', id: `web chat ${visitor} ${id}`, body: JSON.stringify(body) };
    const path = `/internal/apps/${appId}/fetched-requests`;
    const taken = await this.ingress.post<{ event_id?: string }>(path, scope, request).catch((error: unknown) => {
      // The web chat takes nothing any more: the mail is an ordinary one.
      if (error instanceof Problem && error.status === 404) return null;
      throw error;
    });
    if (!taken) return null;
    await this.mailbox.keep({
      appId,
      visitor,
      ...scope,
      author: 'visitor',
      id,
      text,
      format: 'plain',
      actions: null,
      files: null,
    });
    return taken.event_id ?? id;
  }
}

function textOf({ message, metadata = {} }: NormalizedMessage): string {
  const attachments: unknown[] = Array.isArray(metadata.attachments) ? metadata.attachments : [];
  const names = attachments.flatMap((file) => (isJsonObject(file) && typeof file.name === 'string' ? [file.name] : []));
  const attached = names.length > 0 ? `\n\n(Attached to the mail: ${names.join(', ')})` : '';
  return `${message.slice(0, maxChars - attached.length)}${attached}`;
}
