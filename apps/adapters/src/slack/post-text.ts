import {
  type DeliverCall,
  type DeliverFailure,
  deliverFailure,
  type JsonObject,
  type MessageAction,
  type PartToSend,
  type SentPart,
  splitText,
} from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';
import { answerCall, type AnswerSettings } from './answer-call.js';
import { deliveryMark } from './delivery-mark.js';
import { callSlack, type SlackSettings } from './slack-api.js';

/** Characters of a section. Source: https://docs.slack.dev/reference/block-kit/blocks/section-block */
const SECTION_MAX_LENGTH = 3_000;

/** Posts one part of a text. Only the first one changes the message of `edit_of`; the last one has the actions. */
export async function postText(
  call: DeliverCall,
  { text, index, count, key, isLast }: PartToSend & { isLast: boolean },
  settings: SlackSettings & AnswerSettings,
): Promise<SentPart | DeliverFailure> {
  const { credentials, channel_address: channel, message } = call;
  const edited = index === 0 ? message.edit_of : undefined;
  const actions = isLast ? (message.actions ?? []) : [];
  const content = {
    text,
    mrkdwn: message.format !== 'plain',
    ...(edited === undefined ? newMessage(message) : { ts: edited }),
    // Slack keeps the blocks of a message that it is not given new ones for.
    ...((edited !== undefined || actions.length > 0) && { blocks: blocksOf(text, actions) }),
  };
  const mark = deliveryMark(key, index, count);
  const json = { channel, ...content, ...mark };
  const method = edited === undefined ? 'chat.postMessage' : 'chat.update';
  const answer = await callSlack(method, { json }, credentials, settings);
  if (!answer.ok) {
    const answered = edited === undefined ? await answerCall(call, answer, content, settings) : null;
    // Slack names no message that was posted in this way.
    if (answered?.ok) return { messageId: textOf(mark.client_msg_id) ?? key, threadId: message.thread_id };
    return answered ?? answer;
  }
  const ts = textOf(answer.fields.ts) ?? edited;
  return ts === undefined
    ? deliverFailure('provider_unavailable', 'Slack answered without a ts')
    : { messageId: ts, threadId: edited === undefined ? ts : message.thread_id };
}

function newMessage({ thread_id: thread }: DeliverCall['message']): JsonObject {
  return {
    ...(thread !== undefined && { thread_ts: thread }),
    // A preview would make Slack fetch a URL that a model wrote, and show its answer.
    unfurl_links: false,
    unfurl_media: false,
  };
}

/** Blocks take the place of the text, so they have it too; without actions there are none. */
function blocksOf(text: string, actions: readonly MessageAction[]): JsonObject[] {
  if (actions.length === 0) return [];
  const sections = splitText(text, SECTION_MAX_LENGTH).map((piece) => ({
    type: 'section',
    // The text is ready: Slack looks for no links and names in it.
    text: { type: 'mrkdwn', text: piece, verbatim: true },
  }));
  const elements = actions.map(({ id, label, style, value }) => ({
    type: 'button',
    action_id: id,
    text: { type: 'plain_text', text: label },
    value,
    ...(style !== undefined && style !== 'default' && { style }),
  }));
  return [...sections, { type: 'actions', elements }];
}
