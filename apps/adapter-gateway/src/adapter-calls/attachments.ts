import type { AttachmentHead } from '#libs/contracts';
import { type FieldError, Problem } from '#libs/service-kit';
import { createHash } from 'node:crypto';
import type { InstalledApp } from '../apps/installed-apps.js';
import type { OutgoingAttachment } from './adapter-call.dto.js';

export interface ReadAttachments {
  heads: AttachmentHead[];
  contents: Buffer[];
}

/**
 * The files of a message that a service wants delivered, refused at once where they could not arrive.
 * @throws Problem 422 `attachments_unsupported | attachments_too_large | invalid_fields`
 */
export function readAttachments(
  given: OutgoingAttachment[],
  { app, adapter }: InstalledApp,
  maxBytes: number,
): ReadAttachments {
  if (given.length === 0) return { heads: [], contents: [] };
  const message = adapter?.manifest.message;
  if (message?.attachments !== true) {
    throw new Problem(422, 'attachments_unsupported', `${app.name} cannot send files: leave them out.`);
  }
  const contents = given.map(({ content_base64: content }, index) => bytesOf(content, index));
  const total = contents.reduce((sum, { length }) => sum + length, 0);
  const most = Math.min(maxBytes, message.max_attachment_bytes ?? maxBytes);
  if (total > most) {
    const detail = `The files have ${total} bytes together; ${app.name} takes at most ${most} with one message.`;
    throw new Problem(422, 'attachments_too_large', detail);
  }
  return {
    contents,
    heads: given.map(({ name, content_type: type }, index) => ({
      name,
      content_type: type ?? 'application/octet-stream',
      size: contents[index]?.length ?? 0,
      sha256: createHash('sha256')
        .update(contents[index] ?? '')
        .digest('hex'),
    })),
  };
}

function bytesOf(content: string, index: number): Buffer {
  const bytes = Buffer.from(content, 'base64');
  if (bytes.toString('base64') === content) return bytes;
  const wrong: FieldError = { field: `message.attachments.${index}.content_base64`, message: 'must be base64' };
  throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', [wrong]);
}
