import { ignoredMessage, type JsonObject, type NormalizedMessage } from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';
import { answerPlace } from './answer-place.js';

/** A slash command. Source: https://docs.slack.dev/interactivity/implementing-slash-commands */
export function parseCommand(form: JsonObject): NormalizedMessage {
  const [command, channel, user] = [textOf(form.command), textOf(form.channel_id), textOf(form.user_id)];
  // Slack calls a command's URL with ssl_check=1 now and then, to check its certificate.
  if (form.ssl_check === '1') return { event_type: 'ping', sender: 'slack', message: '', is_bot: false };
  if (command === undefined || channel === undefined || user === undefined) {
    return ignoredMessage('incomplete_command', { raw_type: 'slash_command' });
  }
  const team = textOf(form.team_id) ?? textOf(form.enterprise_id) ?? '-';
  const trigger = textOf(form.trigger_id);
  const name = textOf(form.user_name);
  const words = textOf(form.text) ?? '';
  return {
    event_type: 'command',
    sender: user,
    message: `${command} ${words}`.trim(),
    is_bot: false,
    is_dm: form.channel_name === 'directmessage',
    ...(trigger !== undefined && { dedup_key: `slack:${team}:command:${trigger}` }),
    metadata: {
      account: team,
      channel_address: channel,
      is_self: false,
      raw_type: 'slash_command',
      sender: { id: user, ...(name !== undefined && { name }) },
      command,
      arguments: words,
      ...answerPlace(form),
    },
  };
}
