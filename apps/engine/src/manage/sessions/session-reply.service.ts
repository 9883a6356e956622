import type { ReplyTarget } from '#libs/contracts';
import { sanitize } from '#libs/sanitizer';
import { type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { GATEWAY } from '../../settings.js';
import { SessionRepository } from './session.repository.js';
import { SessionService } from './session.service.js';

/** How much of a person's reply the agent is later shown. */
const shownChars = 8_000;

export interface PersonsReply {
  text: string;
  format?: 'markdown' | 'plain';
}

/**
 * The state of a person's reply. `queued` and `sending` proceed on their own; a repeated request with the same key
 * returns the current state.
 */
export interface ReplyAnswer {
  delivery_id: string;
  state: 'queued' | 'sending' | 'delivered' | 'dead' | 'unknown' | 'expired';
  error: string | null;
}

/** Sends the replies of a person who has taken a session over. They are delivered like an agent's. */
@Injectable()
export class SessionReplyService {
  constructor(
    private readonly service: SessionService,
    private readonly sessions: SessionRepository,
    @Inject(GATEWAY) private readonly gateway: ServiceClient,
  ) {}

  /**
   * @param key a message is delivered once per key
   * @throws Problem 404; 409 `session_not_taken_over`, `no_reply_address`; 422 `idempotency_key_reused`; 503
   */
  async send(caller: Principal, id: string, reply: PersonsReply, key: string): Promise<ReplyAnswer> {
    const { status, project_id } = await this.service.get(caller, id);
    if (status !== 'taken_over')
      throw new Problem(409, 'session_not_taken_over', `The session ${id} is ${status}: take it over first.`);
    const last = await this.sessions.lastReplyTarget(id);
    if (!last) {
      const detail = `No message of the session ${id} gives a reply address, and the channel's reply_address is not set.`;
      throw new Problem(409, 'no_reply_address', detail);
    }
    const answer = await this.gateway.post<ReplyAnswer>('/internal/adapter-calls/deliver', caller, {
      app_id: last.reply.app_id,
      channel_address: last.reply.channel_address,
      ...(last.reply.by_channel ? { by_channel: true } : {}),
      message: messageOf(reply, last.reply),
      idempotency_key: keyOf(project_id, id, key),
      receipt_id: last.receipt_id,
      ...(last.reply.ttl_seconds === undefined ? {} : { ttl_seconds: last.reply.ttl_seconds }),
    });
    // The agent is not informed of a reply that never arrived.
    const shown =
      answer.state === 'dead' || answer.state === 'expired'
        ? null
        : sanitize(reply.text, { maxChars: shownChars }).text;
    await this.sessions.markReply(id, caller.subject, answer.delivery_id, shown);
    return { delivery_id: answer.delivery_id, state: answer.state, error: answer.error };
  }
}

function messageOf({ text, format }: PersonsReply, { thread_id, reply_context }: ReplyTarget): object {
  return {
    text,
    ...(format ? { format } : {}),
    ...(thread_id === null ? {} : { thread_id }),
    ...(reply_context === null || reply_context === undefined ? {} : { reply_context }),
  };
}

/** Namespaced among the idempotency keys of the App's deliveries, and hashed to fit the gateway's limit. */
function keyOf(projectId: string, sessionId: string, key: string): string {
  return `session_reply:${createHash('sha256').update(`${projectId} ${sessionId} ${key}`).digest('hex')}`;
}
