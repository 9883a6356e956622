import type { JsonObject, MessageAttachment } from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';
import { personName } from './chat-message.js';

/** A message's text as a reader sees it, with the addresses behind its words; of a message without one, what it shows. */
export function contentOf(message: JsonObject): string | undefined {
  const written = textOf(message.text) ?? textOf(message.caption);
  if (written !== undefined) return withLinks(written, entitiesOf(message));
  return shownIn(message);
}

export function entitiesOf(message: JsonObject): JsonObject[] {
  return objectsOf(message.entities ?? message.caption_entities);
}

/** Offsets are in UTF-16 code units, like those of a string. */
function withLinks(text: string, entities: readonly JsonObject[]): string {
  const links = entities.flatMap(({ type, offset, length, url }) =>
    type === 'text_link' && typeof offset === 'number' && typeof length === 'number' && typeof url === 'string'
      ? [{ label: text.slice(offset, offset + length), end: offset + length, url }]
      : [],
  );
  return links
    .filter(({ label, url }) => label !== url && `${label}/` !== url)
    .toSorted((a, b) => b.end - a.end)
    .reduce((shown, { end, url }) => `${shown.slice(0, end)} (${url})${shown.slice(end)}`, text);
}

function shownIn(message: JsonObject): string | undefined {
  const { venue, location, contact, poll, dice, sticker, checklist } = message;
  if (venue !== undefined) {
    const { title, address, location: place } = objectOf(venue);
    return [`Place: ${[textOf(title), textOf(address)].filter(isText).join(', ')}`, placeText(place)]
      .filter(isText)
      .join('\n');
  }
  if (location !== undefined) return placeText(location);
  if (contact !== undefined) {
    const { phone_number } = objectOf(contact);
    return `Contact: ${[personName(objectOf(contact)), textOf(phone_number)].filter(isText).join(', ')}`;
  }
  if (poll !== undefined) return pollText(objectOf(poll));
  if (dice !== undefined) return `${textOf(objectOf(dice).emoji) ?? ''} ${textOf(objectOf(dice).value) ?? ''}`.trim();
  if (checklist !== undefined) return checklistText(objectOf(checklist));
  return textOf(objectOf(sticker).emoji);
}

function placeText(location: unknown): string | undefined {
  const [latitude, longitude] = [textOf(objectOf(location).latitude), textOf(objectOf(location).longitude)];
  if (latitude === undefined || longitude === undefined) return undefined;
  return `Location: ${latitude}, ${longitude} (https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude})`;
}

function pollText({ question, options }: JsonObject): string {
  const lines = objectsOf(options).map(
    ({ text, voter_count: votes }) => `- ${textOf(text) ?? ''} (${textOf(votes) ?? '0'})`,
  );
  return [`Poll: ${textOf(question) ?? ''}`, ...lines].join('\n');
}

function checklistText({ title, tasks }: JsonObject): string {
  const lines = objectsOf(tasks).map(
    ({ text, completion_date: done }) => `- [${done === undefined ? ' ' : 'x'}] ${textOf(text) ?? ''}`,
  );
  return [`Checklist: ${textOf(title) ?? ''}`, ...lines].join('\n');
}

/** Of what a message shows without a text, the parts for programs. */
export function detailsOf({ location, venue, contact, poll }: JsonObject): JsonObject {
  const { latitude, longitude } = objectOf(location ?? objectOf(venue).location);
  const { phone_number, user_id } = objectOf(contact);
  const [number, person, pollId] = [textOf(phone_number), textOf(user_id), textOf(objectOf(poll).id)];
  return {
    ...(typeof latitude === 'number' && typeof longitude === 'number' && { location: { latitude, longitude } }),
    ...(number !== undefined && {
      contact: { phone_number: number, ...(person !== undefined && { user_id: person }) },
    }),
    ...(pollId !== undefined && { poll_id: pollId }),
  };
}

function isText(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

const SINGLE = ['document', 'audio', 'video', 'voice', 'video_note', 'animation', 'sticker'] as const;

/**
 * The files of a message, each by the `file_id` that `getFile` takes. A photo comes in several sizes; the last is the
 * largest.
 */
export function attachmentsOf(message: JsonObject): MessageAttachment[] {
  const photo = objectsOf(message.photo).at(-1);
  // An animation is repeated as a document, for clients older than animations.
  const kinds = SINGLE.filter((kind) => !(kind === 'document' && message.animation !== undefined));
  const files = kinds.map((kind) => ({ kind: String(kind), file: objectOf(message[kind]) }));
  return [...files, { kind: 'photo', file: photo ?? {} }]
    .filter(({ file }) => textOf(file.file_id) !== undefined)
    .map(({ kind, file }) => describe(kind, file));
}

function describe(kind: string, file: JsonObject): MessageAttachment {
  const id = textOf(file.file_id) ?? '';
  const contentType = textOf(file.mime_type) ?? (kind === 'photo' ? 'image/jpeg' : undefined);
  return {
    id: textOf(file.file_unique_id) ?? id,
    name: textOf(file.file_name) ?? kind,
    fetch_ref: id,
    ...(contentType !== undefined && { content_type: contentType }),
    ...(typeof file.file_size === 'number' && { size: file.file_size }),
  };
}
