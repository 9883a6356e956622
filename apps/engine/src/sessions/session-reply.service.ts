import type { ReplyTarget } from '#libs/contracts';
import { sanitize } from '#libs/sanitizer';
import { type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { GATEWAY } from '../services.js';
import { SessionRepository } from './session.repository.js';
import { SessionService } from './session.service.js';

/** Of a reply, for the agent that goes on after it. */
const toldChars = 8_000;

export interface PersonsReply {
  text: string;
  format?: 'markdown' | 'plain';
}

/** How a person's reply stands. `queued` and `sending` go on by themselves: asking again under the same key tells how. */
export interface ReplyAnswer {
  delivery_id: string;
  state: 'queued' | 'sending' | 'delivered' | 'dead' | 'unknown';
  error: string | null;
}

/** What a person who has taken a session over says in it: delivered as an agent's reply is. */
@Injectable()
export class SessionReplyService {
  constructor(
    private readonly service: SessionService,
    private readonly sessions: SessionRepository,
    @Inject(GATEWAY) private readonly gateway: ServiceClient,
  ) {}

  /**
   * @param key the same message under the same key is delivered once
   * @throws Problem 404; 409 `session_not_taken_over`, `no_reply_address`; 422 `idempotency_key_reused`; 503
   */
  async send(caller: Principal, id: string, reply: PersonsReply, key: string): Promise<ReplyAnswer> {
    const { status, project_id } = await this.service.get(caller, id);
    if (status !== 'taken_over')
      throw new Problem(409, 'session_not_taken_over', `The session ${id} is ${status}: take it over first.`);
    const last = await this.sessions.lastReplyTarget(id);
    if (!last) {
      const detail = `No message of the session ${id} says where a reply goes, and neither does the channel's reply_address.`;
      throw new Problem(409, 'no_reply_address', detail);
    }
    const answer = await this.gateway.post<ReplyAnswer>('/internal/adapter-calls/deliver', caller, {
      app_id: last.reply.app_id,
      channel_address: last.reply.channel_address,
      message: messageOf(reply, last.reply),
      idempotency_key: keyOf(project_id, id, key),
      receipt_id: last.receipt_id,
    });
    // What never arrived was not said.
    const told = answer.state === 'dead' ? null : sanitize(reply.text, { maxChars: toldChars }).text;
    await this.sessions.markReply(id, caller.subject, answer.delivery_id, told);
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

/** A place of its own among the keys of the App's deliveries, and no longer than the gateway takes. */
function keyOf(projectId: string, sessionId: string, key: string): string {
  return `session_reply:${createHash('sha256').update(`${projectId} ${sessionId} ${key}`).digest('hex')}`;
}
