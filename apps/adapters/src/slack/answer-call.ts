import {
  type DeliverCall,
  type DeliverFailure,
  failureOfStatus,
  headerValue,
  type JsonObject,
  callProvider,
  type ProviderHttp,
} from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';

export const SLACK_HOOKS_URL = 'https://hooks.slack.com';

export interface AnswerSettings extends ProviderHttp {
  /** Where addresses that answer a call are. */
  hooksUrl: string;
}

/** The bot is not where the command or the press came from. */
const NOT_THERE = ['not_in_channel', 'channel_not_found'];

/**
 * Answers a command or a press at the address that Slack gave for it, which needs no membership of the channel: five
 * times in half an hour.
 * Source: https://docs.slack.dev/interactivity/handling-user-interaction#message_responses
 * @returns null: it is none, or Slack takes no more answers to it
 */
export async function answerCall(
  { message }: DeliverCall,
  refused: DeliverFailure,
  content: JsonObject,
  settings: AnswerSettings,
): Promise<{ ok: true } | DeliverFailure | null> {
  const url = URL.parse(textOf(objectOf(message.reply_context).response_url) ?? '');
  if (!NOT_THERE.includes(refused.error_detail?.provider_code ?? '')) return null;
  if (url?.origin !== new URL(settings.hooksUrl).origin || url.username !== '' || url.password !== '') return null;
  const json = { ...content, response_type: 'in_channel', replace_original: false };
  const answer = await callProvider(settings, { url: url.href, json });
  if ('ok' in answer) return answer;
  if (answer.status === 200) return { ok: true };
  if (answer.status !== 429 && answer.status < 500) return null;
  return failureOfStatus(answer.status, headerValue(answer.headers, 'retry-after'));
}
