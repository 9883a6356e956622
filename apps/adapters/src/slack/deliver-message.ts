import {
  attachedFiles,
  type DeliverCall,
  deliverFailure,
  deliverParts,
  deliverReaction,
  type DeliverResponse,
  dialectParts,
} from '#libs/adapter-sdk';
import { addReaction } from './add-reaction.js';
import type { AnswerSettings } from './answer-call.js';
import { escapeMrkdwn, mrkdwnDialect } from './mrkdwn-dialect.js';
import { postText } from './post-text.js';
import type { SlackSettings } from './slack-api.js';
import { SLACK_MAX_LENGTH } from './slack.manifest.js';
import { uploadFile } from './upload-file.js';

const TS = /^\d{1,11}\.\d{1,9}$/;

/** Posts the message, or changes the one that it is an edit of, and adds its reaction. */
export async function deliverMessage(
  call: DeliverCall,
  settings: SlackSettings & AnswerSettings & { filesUrl: string },
): Promise<DeliverResponse> {
  const { message } = call;
  for (const field of ['thread_id', 'edit_of', 'reaction_to'] as const) {
    const ts = message[field];
    if (ts !== undefined && !TS.test(ts)) {
      return deliverFailure('invalid_request', `message.${field} must be the ts of a Slack message`);
    }
  }
  return deliverReaction(
    call,
    () => postMessage(call, settings),
    (reaction) => addReaction(call, reaction, settings),
  );
}

/** A long text goes in parts, and each file as a part after them, all of them in the message's thread if it has one. */
async function postMessage(
  call: DeliverCall,
  settings: SlackSettings & AnswerSettings & { filesUrl: string },
): Promise<DeliverResponse> {
  const { message } = call;
  const files = attachedFiles(call);
  if ('ok' in files) return files;
  if (message.text.trim() === '' && files.length === 0) {
    return deliverFailure('invalid_request', 'message.text is empty');
  }
  const texts = message.text.trim() === '' ? [] : dialectParts(message, mrkdwnDialect, SLACK_MAX_LENGTH, escapeMrkdwn);
  if (texts.length === 0 && files.length === 0) {
    return deliverFailure('invalid_request', 'message.text has no visible text');
  }
  const parts = [...texts, ...files.map(({ name }) => name)];
  return deliverParts(call, parts, (part) => {
    const file = files[part.index - texts.length];
    if (file) return uploadFile(call, file, settings);
    return postText(call, { ...part, isLast: part.index === texts.length - 1 }, settings);
  });
}
