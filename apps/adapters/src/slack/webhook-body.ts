import { isJsonObject, parseJson, type JsonObject } from '#libs/adapter-sdk';

/** What Slack posts to its request URLs: events as JSON, commands and interactions as forms. */
export type SlackBody =
  | { kind: 'event'; fields: JsonObject }
  | { kind: 'command'; fields: JsonObject }
  | { kind: 'interaction'; fields: JsonObject }
  | { kind: 'unknown' };

/** The form is told from JSON by its content: a proxy may have lost the content type. */
export function readSlackBody(text: string): SlackBody {
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
