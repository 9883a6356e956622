import type { NormalizedMessage, TrustGrade } from '#libs/contracts';
import type { Exchange } from '../guards/loop-breaker.js';
import type { ContactStatus } from '../../entities/contact.entity.js';

/** The sender of a message, as resolved when the message was claimed; `null` in its place: the built-in Webhook app. */
export interface SenderContext {
  appId: string;
  sender: string;
  /** The contact that the sender belongs to. */
  contactId: string;
  /** The contact that it would belong to without merges. */
  homeId: string;
  name: string;
  status: ContactStatus;
  dailyBudget: number | null;
  exchange: Exchange;
  /** True when the sender is seen for the first time. */
  isNew: boolean;
}

export function trustOf(senderContext: SenderContext | null): TrustGrade {
  if (!senderContext) return 'builtin';
  return senderContext.status === 'known' ? 'known' : 'unknown';
}

/** The key of a sender in a map. */
export function senderKey(appId: string, message: Pick<NormalizedMessage, 'sender'>): string {
  return `${appId} ${message.sender}`;
}
