import {
  ignoredMessage,
  parseJson,
  parseKeepingNumbers,
  ProviderUnavailable,
  stringifyJson,
  type InboundCall,
  type NormalizedMessage,
  type ProviderHttp,
} from '#libs/adapter-sdk';
import { EgressError } from '#libs/egress';
import { ownAddress, readEnvelope, type SnsEnvelope } from './envelope.js';

const MAX_ANSWER_BYTES = 64 * 1024;

/** A notification as a message. A request to confirm a subscription is confirmed; doing that again changes nothing. */
export async function parseSnsInbound(call: InboundCall, http: ProviderHttp): Promise<NormalizedMessage> {
  const envelope = readEnvelope(call);
  if (!envelope) return ignoredMessage('not_of_the_topic');
  if (envelope.type === 'SubscriptionConfirmation') return confirm(envelope, http);
  if (envelope.type === 'UnsubscribeConfirmation') return ignoredMessage('unsubscribed', { raw_type: envelope.type });
  return notification(envelope, call.receivedAt);
}

function notification({ fields, topic, attributes }: SnsEnvelope, receivedAt: Date): NormalizedMessage {
  const message = fields.get('Message') ?? '';
  const payload = parseJson(message, parseKeepingNumbers);
  const id = fields.get('MessageId');
  const subject = fields.get('Subject');
  const published = new Date(fields.get('Timestamp') ?? '');
  return {
    event_type: 'notification',
    sender: topic.arn,
    message: message === '' ? (subject ?? '') : message,
    is_bot: false,
    metadata: {
      notification: true,
      // A topic takes no replies.
      channel_address: null,
      raw_type: 'Notification',
      timestamp: (Number.isNaN(published.getTime()) ? receivedAt : published).toISOString(),
      ...(id !== undefined && { message_id: id }),
      ...(subject !== undefined && { subject }),
      ...(Object.keys(attributes).length > 0 && { attributes }),
      // One that is nested too deeply to be written out again is only text.
      ...(typeof payload === 'object' && payload !== null && stringifyJson(payload) !== undefined && { payload }),
    },
    ...(id !== undefined && { dedup_key: `sns:${id}` }),
  };
}

/** @throws ProviderUnavailable */
async function confirm({ fields, topic }: SnsEnvelope, http: ProviderHttp): Promise<NormalizedMessage> {
  const metadata = { raw_type: 'SubscriptionConfirmation', account: topic.arn };
  const address = ownAddress(fields.get('SubscribeURL'), topic);
  const asked = address?.searchParams;
  if (!address || asked?.get('Action') !== 'ConfirmSubscription' || asked.get('TopicArn') !== topic.arn) {
    return ignoredMessage('subscribe_url_not_of_the_topic', metadata);
  }
  const status = await visit(address, http);
  if (status >= 500 || status === 429) throw unavailable();
  return ignoredMessage(status === 200 ? 'subscription_confirmed' : 'subscription_not_confirmed', metadata);
}

async function visit(address: URL, { fetch, timeoutMs }: ProviderHttp): Promise<number> {
  try {
    return (await fetch(address.href, { timeoutMs, maxResponseBytes: MAX_ANSWER_BYTES, maxRedirects: 0 })).status;
  } catch (error) {
    if (error instanceof EgressError) throw unavailable();
    throw error;
  }
}

function unavailable(): ProviderUnavailable {
  return new ProviderUnavailable('SNS cannot be asked to confirm the subscription now');
}
