import {
  type DeliverCall,
  deliverFailure,
  deliverParts,
  type DeliverResponse,
  neutraliseBroadcasts,
  plainFormat,
  splitText,
} from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';
import { accountOf, callTwilio, type TwilioSettings } from './twilio-api.js';
import { TWILIO_MAX_LENGTH } from './twilio.manifest.js';

const NUMBER = /^\+\d{5,20}$/;
/** A number, a short code, the name of an alphanumeric sender, or a Messaging Service. */
const SENDER = /^(?:\+\d{5,20}|\d{3,8}|MG[0-9A-Za-z]{1,64}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/;

/** Sends a text message, a long one in parts. */
export async function deliverMessage(call: DeliverCall, settings: TwilioSettings): Promise<DeliverResponse> {
  const { message, channel_address: to, credentials } = call;
  const { text, format } = message;
  if (text.trim() === '') return deliverFailure('invalid_request', 'message.text is empty');
  if (message.attachments?.length) return deliverFailure('unsupported', 'attachments cannot be sent');
  if (!NUMBER.test(to)) {
    return deliverFailure('invalid_request', 'channel_address must be a phone number in the form +15551234567');
  }
  const from = textOf(credentials.from)?.trim() ?? '';
  if (!SENDER.test(from)) return deliverFailure('auth_failed', 'from must be a number of the account or an MG… SID');
  const account = accountOf(credentials);
  if ('ok' in account) return account;
  const isMarkdown = format === undefined || format === 'markdown';
  const parts = isMarkdown
    ? (plainFormat({ text, mode: 'plain' }, TWILIO_MAX_LENGTH).parts ?? [])
    : splitText(neutraliseBroadcasts(text), TWILIO_MAX_LENGTH);
  return deliverParts(call, parts, async ({ text: body }) => {
    const sender: Record<string, string> = from.startsWith('MG') ? { MessagingServiceSid: from } : { From: from };
    const sent = await callTwilio('/Messages.json', { To: to, ...sender, Body: body }, account, settings);
    if (!sent.ok) return sent;
    const sid = textOf(sent.fields.sid);
    return sid === undefined
      ? deliverFailure('provider_unavailable', 'Twilio answered without the SID of the message')
      : { messageId: sid, threadId: undefined };
  });
}
