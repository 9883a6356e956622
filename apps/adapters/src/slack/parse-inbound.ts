import { ignoredMessage, type InboundCall, type NormalizedMessage } from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';
import { parseCommand } from './parse-command.js';
import { parseEvent } from './parse-event.js';
import { parseInteraction } from './parse-interaction.js';
import { readSlackBody } from './webhook-body.js';

/** The normalized message of whatever Slack posts; what is unknown or says nothing is `ignored`. */
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
  if (type === 'event_callback') return parseEvent(body.fields, call.self);
  if (type !== 'url_verification') return ignoredMessage('unknown_event', { ...(type && { raw_type: type }) });
  return {
    event_type: 'challenge',
    sender: 'slack',
    message: '',
    is_bot: false,
    challenge_response: textOf(body.fields.challenge) ?? '',
  };
}
