import { type DeliverCall, type DeliverFailure, deliverFailure, type Reaction } from '#libs/adapter-sdk';
import { callSlack, type SlackSettings } from './slack-api.js';

/** Slack knows emoji by names only; any other one can be given by its name, `:shipit:`. */
const NAMES: Readonly<Record<string, string>> = {
  '👍': 'thumbsup',
  '👎': 'thumbsdown',
  '✅': 'white_check_mark',
  '✔': 'heavy_check_mark',
  '❌': 'x',
  '👀': 'eyes',
  '❤': 'heart',
  '🎉': 'tada',
  '🙏': 'pray',
  '🔥': 'fire',
  '👏': 'clap',
  '🙂': 'slightly_smiling_face',
  '😄': 'smile',
  '😢': 'cry',
  '🤔': 'thinking_face',
  '💯': '100',
  '⏳': 'hourglass_flowing_sand',
  '⚠': 'warning',
  '❓': 'question',
  '🚀': 'rocket',
  '🤝': 'handshake',
  '👋': 'wave',
};

/** A reaction that is there already has arrived. */
const ALREADY = 'already_reacted';

export async function addReaction(
  { credentials, channel_address: channel }: DeliverCall,
  { messageId, emoji }: Reaction,
  settings: SlackSettings,
): Promise<{ ok: true } | DeliverFailure> {
  const name = /^:([a-z0-9_+'-]{1,100}):$/.exec(emoji)?.[1] ?? NAMES[emoji.replaceAll('\ufe0f', '')];
  if (name === undefined) return deliverFailure('unsupported', 'the name of this emoji at Slack is not known');
  const answer = await callSlack(
    'reactions.add',
    { json: { channel, timestamp: messageId, name } },
    credentials,
    settings,
  );
  if (answer.ok || answer.error_detail?.provider_code === ALREADY) return { ok: true };
  return answer;
}
