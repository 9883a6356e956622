import type { JsonObject, MessageAttachment } from '#libs/adapter-sdk';
import { objectsOf, objectOf, textOf } from '../provider-calls/json-fields.js';

const SINGLE = ['document', 'audio', 'video', 'voice', 'video_note', 'animation', 'sticker'] as const;

/** The files of a message, each by the `file_id` that `getFile` takes. A photo comes in several sizes; the last is the largest. */
export function attachmentsOf(message: JsonObject): MessageAttachment[] {
  const photo = objectsOf(message.photo).at(-1);
  // An animation is repeated as a document, for programs that are older than animations.
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
