import {
  ignoredMessage,
  type InboundCall,
  type NormalizedMessage,
  isJsonObject,
  parseJson,
  type JsonObject,
} from '#libs/adapter-sdk';
import { hearsOf } from '../hearing/hears.js';
import { textOf } from '../provider-calls/json-fields.js';
import { parseCommand } from './parse-command.js';
import { parseEvent } from './parse-event.js';
import { parseInteraction } from './parse-interaction.js';

/** The normalized message of any Slack request; an unknown one, or one without content, is `ignored`. */
export function parseSlackInbound(call: InboundCall): NormalizedMessage {
  const body = readSlackBody(call.request.text);
  switch (body.kind) {
    case 'command':
      return parseCommand(body.fields);
    case 'interaction':
      return parseInteraction(body.fields, call.self);
    case 'unknown':
      return ignoredMessage('unknown_body');
    case 'event':
      break;
  }
  const type = textOf(body.fields.type);
  if (type === 'event_callback') return parseEvent(body.fields, call.self, hearsOf(call.credentials));
  if (type !== 'url_verification') return ignoredMessage('unknown_event', { ...(type && { raw_type: type }) });
  return {
    event_type: 'challenge',
    sender: 'slack',
    message: '',
    is_bot: false,
    challenge_response: textOf(body.fields.challenge) ?? '',
  };
}

/** What Slack posts to its request URLs: events as JSON, commands and interactions as forms. */
type SlackBody =
  | { kind: 'event'; fields: JsonObject }
  | { kind: 'command'; fields: JsonObject }
  | { kind: 'interaction'; fields: JsonObject }
  | { kind: 'unknown' };

/** The form is distinguished from JSON by its content: a proxy may have dropped the content type. */
function readSlackBody(text: string): SlackBody {
  const document = parseJson(text);
  if (isJsonObject(document)) return { kind: 'event', fields: document };
  if (document !== undefined) return { kind: 'unknown' };
  const form = new URLSearchParams(text);
  const payload = form.get('payload');
  if (payload !== null) {
    const interaction = parseJson(payload);
    return isJsonObject(interaction) ? { kind: 'interaction', fields: interaction } : { kind: 'unknown' };
  }
  const isCommand = form.has('command') || form.has('ssl_check');
  return isCommand ? { kind: 'command', fields: Object.fromEntries(form) } : { kind: 'unknown' };
}
