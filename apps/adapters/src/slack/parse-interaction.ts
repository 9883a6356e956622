import {
  ignoredMessage,
  type JsonObject,
  type MessageMetadata,
  type NormalizedMessage,
  type Self,
  stringifyJson,
} from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';
import { answerPlace } from './answer-place.js';
import { messageKey, replyThread } from './message-address.js';
import { messageText } from './message-text.js';

const INTERACTIONS = ['block_actions', 'view_submission', 'shortcut', 'message_action'];

/** A button, a menu, a dialog or a shortcut. Source: https://docs.slack.dev/reference/interaction-payloads */
export function parseInteraction(payload: JsonObject, self: Self | undefined): NormalizedMessage {
  const type = textOf(payload.type) ?? 'unknown';
  const user = objectOf(payload.user);
  const sender = textOf(user.id);
  if (!INTERACTIONS.includes(type) || sender === undefined) {
    return ignoredMessage('unknown_interaction', { raw_type: type });
  }
  const team =
    textOf(objectOf(payload.team).id) ?? textOf(user.team_id) ?? textOf(objectOf(payload.enterprise).id) ?? '-';
  const [message, container] = [objectOf(payload.message), objectOf(payload.container)];
  const channel = textOf(objectOf(payload.channel).id) ?? textOf(container.channel_id);
  const ts = textOf(message.ts) ?? textOf(container.message_ts);
  const isDm = channel?.startsWith('D') === true;
  const thread =
    ts === undefined ? undefined : replyThread({ thread_ts: container.thread_ts ?? message.thread_ts }, ts, isDm);
  const name = textOf(user.username) ?? textOf(user.name);
  const privateMetadata = textOf(objectOf(payload.view).private_metadata);
  const callback = textOf(payload.callback_id) ?? textOf(objectOf(payload.view).callback_id);
  const isSelf = self?.id !== undefined && self.id === sender;
  const key = interactionKey(payload, team, channel, ts);
  return {
    event_type: 'action',
    sender,
    message: interactionText(type, payload),
    is_bot: isSelf,
    is_dm: isDm,
    ...(thread !== undefined && { thread_id: thread }),
    ...(key !== undefined && { dedup_key: key }),
    metadata: {
      account: team,
      is_self: isSelf,
      raw_type: type,
      sender: { id: sender, ...(name !== undefined && { name }) },
      ...(channel !== undefined && { channel_address: channel }),
      ...(ts !== undefined && { message_id: ts }),
      ...(callback !== undefined && { callback_id: callback }),
      ...(privateMetadata !== undefined && { private_metadata: privateMetadata }),
      ...(type === 'message_action' && authorOf(message, sender)),
      ...answerPlace(payload),
      ...(type === 'block_actions' && {
        action_ids: objectsOf(payload.actions).map(({ action_id }) => action_id),
        ...pressed(payload, ts),
      }),
    },
  };
}

/** The message of a shortcut is somebody's, who need not be the one who uses it. */
function authorOf(message: JsonObject, sender: string): Pick<MessageMetadata, 'forwarded_from'> {
  const id = textOf(message.user) ?? textOf(message.bot_id);
  return id === sender ? {} : { forwarded_from: id === undefined ? {} : { id } };
}

/** A button with a value, as those of `actions` are; menus have several values at once. */
function pressed(payload: JsonObject, ts: string | undefined): Pick<MessageMetadata, 'action'> {
  const [first] = objectsOf(payload.actions);
  const [id, value] = [textOf(first?.action_id), textOf(first?.value)];
  if (id === undefined || value === undefined) return {};
  return { action: { id, value, ...(ts !== undefined && { message_id: ts }) } };
}

/** An action has its own time; everything else is named by the trigger id that Slack makes for each click. */
function interactionKey(payload: JsonObject, team: string, channel = '-', ts = '-'): string | undefined {
  const [action] = objectsOf(payload.actions);
  const [id, at, trigger] = [textOf(action?.action_id), textOf(action?.action_ts), textOf(payload.trigger_id)];
  if (id !== undefined && at !== undefined) return messageKey(team, channel, ts, 'action', id, at);
  return trigger === undefined ? undefined : messageKey(team, channel, ts, 'trigger', trigger);
}

/** The chosen values, a dialog's input as JSON, or the shortcut's own id. */
function interactionText(type: string, payload: JsonObject): string {
  if (type === 'block_actions') return objectsOf(payload.actions).map(chosenValue).join('\n');
  if (type === 'view_submission') return stringifyJson(objectOf(objectOf(payload.view).state).values) ?? '';
  if (type === 'message_action') return messageText(objectOf(payload.message));
  return textOf(payload.callback_id) ?? '';
}

function chosenValue(action: JsonObject): string {
  const options = [objectOf(action.selected_option), ...objectsOf(action.selected_options)];
  const chosen = options.map(({ value }) => textOf(value)).filter((value) => value !== undefined);
  const picked = ['selected_user', 'selected_channel', 'selected_conversation', 'selected_date', 'selected_time'];
  const single =
    textOf(action.value) ?? picked.map((field) => textOf(action[field])).find((value) => value !== undefined);
  return single ?? (chosen.length > 0 ? chosen.join(', ') : (textOf(action.action_id) ?? ''));
}
