import { type JsonObject, type MessageAttachment } from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';

/** As others see the person: the name in the server, else their own. */
export function personName(user: JsonObject, member: JsonObject = objectOf(user.member)): string | undefined {
  return textOf(member.nick) ?? textOf(user.global_name) ?? textOf(user.username);
}

/** The message that this one passes on; Discord does not say who wrote it. */
export function forwardedMessage(message: JsonObject): JsonObject | undefined {
  const [snapshot] = objectsOf(message.message_snapshots);
  return snapshot && objectOf(snapshot.message);
}

/** All that a reader sees of a message. */
export function messageText(message: JsonObject): string {
  const own = readable(textOf(message.content) ?? '', message);
  const forwarded = forwardedMessage(message);
  // The preview of a link says nothing that its sender said.
  const isByPerson = objectOf(message.author).bot !== true;
  return [
    own,
    own !== '' && isByPerson ? '' : embedText(message.embeds),
    pollText(objectOf(message.poll)),
    ...objectsOf(message.sticker_items).map(({ name }) => `[Sticker: ${textOf(name) ?? ''}]`),
    forwarded ? `Forwarded:\n${messageText(forwarded).replaceAll(/^/gm, '> ')}` : '',
  ]
    .filter((part) => part.trim() !== '')
    .join('\n\n');
}

export function attachmentsOf(message: JsonObject): MessageAttachment[] {
  const forwarded = forwardedMessage(message);
  return [...objectsOf(message.attachments), ...objectsOf(forwarded?.attachments)].map((file) => {
    const [id, name, contentType, url] = [file.id, file.filename, file.content_type, file.url].map(textOf);
    return {
      ...(id !== undefined && { id }),
      ...(name !== undefined && { name }),
      ...(contentType !== undefined && { content_type: contentType }),
      ...(typeof file.size === 'number' && { size: file.size }),
      ...(url !== undefined && { fetch_ref: url }),
    };
  });
}

/** What a message of cards only shows. */
export function embedText(embeds: unknown): string {
  const lines = objectsOf(embeds).flatMap(({ title, description, fields }) => [
    ...shown(title),
    ...shown(description),
    ...objectsOf(fields).map(({ name, value }) => `${shown(name).join('')}: ${shown(value).join('')}`),
  ]);
  return lines.join('\n');
}

export function shown(value: unknown): string[] {
  if (typeof value === 'boolean') return [String(value)];
  const text = textOf(value);
  return text === undefined ? [] : [text];
}

/** Source: https://docs.discord.com/developers/reference#message-formatting */
function readable(content: string, message: JsonObject): string {
  const names = new Map(objectsOf(message.mentions).map((user) => [textOf(user.id), personName(user)]));
  return content
    .replaceAll(/<@!?(\d{5,20})>/g, (written, id: string) => {
      const name = names.get(id);
      return name === undefined ? written : `@${name}`;
    })
    .replaceAll(/<a?(:\w{1,40}:)\d{5,20}>/g, '$1')
    .replaceAll(/<(\/[^:<>]{1,100}):\d{5,20}>/g, '$1')
    .replaceAll(/<t:(-?\d{1,12})(?::\w)?>/g, (_written, seconds: string) =>
      new Date(Number(seconds) * 1_000).toISOString(),
    );
}

function pollText({ question, answers }: JsonObject): string {
  const asked = textOf(objectOf(question).text);
  if (asked === undefined) return '';
  const choices = objectsOf(answers).flatMap(({ poll_media: media }) => shown(objectOf(media).text));
  return [`Poll: ${asked}`, ...choices.map((choice) => `- ${choice}`)].join('\n');
}
