import { verify } from 'node:crypto';
import { headerValue, refuseWebhook, type InboundCall, type VerifyWebhookResult } from '#libs/adapter-sdk';
import { ownAddress, readEnvelope, topicsOf, type SnsEnvelope } from './envelope.js';
import type { SigningCertificates } from './signing-certificates.js';

/** The signed fields by the type of the message, in their order; one that is absent is left out. */
const SIGNED: Record<SnsEnvelope['type'], readonly string[]> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
};
const DIGESTS: Readonly<Record<string, string>> = { 1: 'sha1', 2: 'sha256' };

/** The text that SNS signs: a line for each name, and one for its value. */
export function signedText({ type, fields }: Pick<SnsEnvelope, 'type' | 'fields'>): string {
  return SIGNED[type].flatMap((name) => (fields.has(name) ? [`${name}\n${fields.get(name)}\n`] : [])).join('');
}

/**
 * Verifies the signature in the body, with the certificate of the topic's own region. A valid one proves only that SNS
 * sent it: everybody may have a topic. So the topic has to be one of the App's.
 * @throws ProviderUnavailable when the certificate cannot be fetched: the signature is then neither right nor wrong
 */
export async function verifySnsWebhook(
  call: InboundCall,
  certificates: SigningCertificates,
): Promise<VerifyWebhookResult> {
  if (topicsOf(call.credentials).length === 0) return refuseWebhook('not_configured', 'topic_arn is not set to an ARN');
  if (headerValue(call.request.headers, 'x-amz-sns-rawdelivery') === 'true') {
    return refuseWebhook('missing_signature', 'raw message delivery has no signature: turn it off in the subscription');
  }
  const envelope = readEnvelope(call);
  if (!envelope) return refuseWebhook('unsupported', 'this is not a message of a topic of topic_arn');
  const { fields, topic } = envelope;
  const signature = fields.get('Signature') ?? '';
  if (signature === '') return refuseWebhook('missing_signature', 'the message has no Signature');
  const digest = DIGESTS[fields.get('SignatureVersion') ?? ''];
  if (digest === undefined) return refuseWebhook('unsupported', 'SignatureVersion is neither 1 nor 2');
  const address = ownAddress(fields.get('SigningCertURL'), topic);
  if (!address) return refuseWebhook('bad_signature', `SigningCertURL is not https://${topic.host}/`);
  const certificate = await certificates.at(address, call.receivedAt);
  const isRight =
    certificate !== undefined &&
    verify(digest, Buffer.from(signedText(envelope)), certificate, Buffer.from(signature, 'base64'));
  return isRight
    ? { ok: true, scheme: `sns-${digest}` }
    : refuseWebhook('bad_signature', 'Signature does not match the message');
}
