import type { AttachedFile } from '#libs/adapter-sdk';
import { createHash } from 'node:crypto';

export interface MultipartForm {
  fields: Record<string, string>;
  file: AttachedFile & { field: string };
}

/** The body of a `multipart/form-data` request (RFC 7578) and its content type. */
export function multipartBody({ fields, file }: MultipartForm): { type: string; body: Buffer } {
  // Of the content, so that no part of it can be taken for an end by chance or on purpose.
  const boundary = `gatehouse-${createHash('sha256').update(file.bytes).update(JSON.stringify(fields)).digest('hex')}`;
  const part = (disposition: string, type?: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${type ? `Content-Type: ${type}\r\n` : ''}\r\n`;
  const texts = Object.entries(fields).map(([name, value]) => `${part(`name="${name}"`)}${value}\r\n`);
  const head = `${texts.join('')}${part(`name="${file.field}"; filename="${file.name}"`, file.contentType)}`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([Buffer.from(head), file.bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}
