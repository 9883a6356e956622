import { isJsonObject, parseJson, type JsonObject, type NormalizedMessage } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';

export interface Push {
  email: string;
  historyId: string;
  /** When Gmail published the change. */
  publishedAt: Date;
  pushId: string | undefined;
  subscription: string | undefined;
}

/**
 * Reads a push in Pub/Sub's envelope, or only its data when the subscription unwraps it; undefined for anything else.
 */
export function readPush(document: JsonObject, receivedAt: Date): Push | undefined {
  const message = objectOf(document.message);
  const data = textOf(message.data);
  const change = data === undefined ? document : parseJson(Buffer.from(data, 'base64').toString('utf8'));
  if (!isJsonObject(change)) return undefined;
  const [email, historyId] = [textOf(change.emailAddress), textOf(change.historyId)];
  if (email === undefined || historyId === undefined || !/^\d{1,30}$/.test(historyId)) return undefined;
  const published = new Date(textOf(message.publishTime) ?? textOf(message.publish_time) ?? receivedAt);
  return {
    email: email.toLowerCase(),
    historyId,
    publishedAt: Number.isNaN(published.getTime()) ? receivedAt : published,
    pushId: textOf(message.messageId) ?? textOf(message.message_id),
    subscription: textOf(document.subscription),
  };
}

/** A change of a mailbox, which cannot be answered. */
export function parsePush(push: Push): NormalizedMessage {
  return {
    event_type: 'mailbox_changed',
    sender: push.email,
    message: `The mailbox ${push.email} changed.`,
    is_bot: false,
    dedup_key: `gmail:history:${push.email}:${push.historyId}`,
    metadata: {
      account: push.email,
      history_id: push.historyId,
      timestamp: push.publishedAt.toISOString(),
      channel_address: null,
      auto_submitted: true,
      notification: true,
      raw_type: 'pubsub.push',
      ...(push.pushId !== undefined && { message_id: push.pushId }),
      ...(push.subscription !== undefined && { subscription: push.subscription }),
    },
  };
}
