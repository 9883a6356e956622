import { deliverFailure, type DeliverCall, type DeliverFailure } from './delivery.js';

export interface AttachedFile {
  /** A single line without quotes and folders, because it goes into headers and forms. */
  name: string;
  contentType: string;
  bytes: Buffer;
}

const maxNameChars = 200;
const plainType = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/;
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The files attached to a message to deliver, in order; or the failure, when one of them is malformed. */
export function attachedFiles({ message }: Pick<DeliverCall, 'message'>): AttachedFile[] | DeliverFailure {
  const files: AttachedFile[] = [];
  for (const [index, { name, content_type: type, content_base64: content }] of (message.attachments ?? []).entries()) {
    if (typeof content !== 'string' || content.length % 4 !== 0 || !base64.test(content)) {
      return deliverFailure('invalid_request', `message.attachments[${index}].content_base64 must be base64`);
    }
    files.push({
      name: plainName(typeof name === 'string' ? name : '') || `file-${index + 1}`,
      contentType: typeof type === 'string' && plainType.test(type) ? type : 'application/octet-stream',
      bytes: Buffer.from(content, 'base64'),
    });
  }
  return files;
}

function plainName(name: string): string {
  return name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029"\\/]/gu, '_')
    .slice(-maxNameChars)
    .toWellFormed()
    .trim();
}
