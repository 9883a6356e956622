import {
  type DeliverCall,
  type DeliverFailure,
  deliverFailure,
  deliverParts,
  type DeliverResponse,
  type PartToSend,
  type SentPart,
} from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';
import { deliveryMark } from './delivery-mark.js';
import { partsToPost } from './format-message.js';
import { callSlack, type SlackSettings } from './slack-api.js';
import { SLACK_MAX_LENGTH } from './slack.manifest.js';

/** Posts the message, a long one in parts, all of them in the message's thread if it has one. */
export async function deliverMessage(call: DeliverCall, settings: SlackSettings): Promise<DeliverResponse> {
  const { message, channel_address } = call;
  if (message.text.trim() === '') return deliverFailure('invalid_request', 'message.text is empty');
  if (message.attachments?.length) return deliverFailure('unsupported', 'attachments cannot be sent');
  if (message.thread_id !== undefined && !/^\d{1,11}\.\d{1,9}$/.test(message.thread_id)) {
    return deliverFailure('invalid_request', 'message.thread_id must be the ts of a Slack message');
  }
  const texts = partsToPost(message, SLACK_MAX_LENGTH);
  if (texts.length === 0) return deliverFailure('invalid_request', 'message.text has no visible text');
  return deliverParts(call, texts, (part) => postPart(call, channel_address, part, settings));
}

async function postPart(
  { credentials, message }: DeliverCall,
  channel: string,
  { text, index, count, key }: PartToSend,
  settings: SlackSettings,
): Promise<SentPart | DeliverFailure> {
  const json = {
    channel,
    text,
    mrkdwn: message.format !== 'plain',
    ...(message.thread_id !== undefined && { thread_ts: message.thread_id }),
    // A preview would make Slack fetch a URL that a model wrote, and show its answer.
    unfurl_links: false,
    unfurl_media: false,
    ...deliveryMark(key, index, count),
  };
  const answer = await callSlack('chat.postMessage', { json }, credentials, settings);
  if (!answer.ok) return answer;
  const ts = textOf(answer.fields.ts);
  return ts === undefined
    ? deliverFailure('provider_unavailable', 'Slack answered without a ts')
    : { messageId: ts, threadId: ts };
}
