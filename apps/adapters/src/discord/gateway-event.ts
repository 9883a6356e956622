import { type JsonObject, type PolledEvent, stringifyJson } from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';

const INTERACTION = /^\d{5,20}$/;
const TOKEN = /^[\w.=-]{1,1000}$/;

/**
 * An event that is passed on; undefined for any other. A message is named by its id, since two connections of a bot get
 * each one with numbers of their own.
 */
export function gatewayEvent(name: string, data: JsonObject, numbered: string): PolledEvent | undefined {
  const id = textOf(data.id) ?? numbered;
  const body = stringifyJson({ t: name, d: data }) ?? '{}';
  switch (name) {
    case 'MESSAGE_CREATE':
      return { id: `message:${id}`, body };
    case 'MESSAGE_UPDATE': {
      const edited = textOf(data.edited_timestamp);
      // Without it only a preview was added.
      return edited === undefined ? undefined : { id: `edit:${id}:${edited}`, body };
    }
    case 'MESSAGE_REACTION_ADD':
      return { id: numbered, body };
    case 'INTERACTION_CREATE':
      return { id: `interaction:${id}`, body: stringifyJson(data) ?? '{}' };
    default:
      return undefined;
  }
}

/** Where an interaction is acknowledged, within 3 s; undefined for anything else. */
export function callbackOf(name: string, { id, token }: JsonObject): string | undefined {
  const [interaction, secret] = [textOf(id) ?? '', textOf(token) ?? ''];
  if (name !== 'INTERACTION_CREATE' || !INTERACTION.test(interaction) || !TOKEN.test(secret)) return undefined;
  return `/interactions/${interaction}/${secret}/callback`;
}
