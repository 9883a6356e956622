import type { JsonObject } from '#libs/adapter-sdk';

export interface FormPart {
  name: string;
  value: string | Buffer;
  fileName?: string;
  type?: string;
}

const BOUNDARY = 'xYzZY';

/** A request of Inbound Parse, as in the envelope of a call. */
export function inboundRequest(parts: readonly FormPart[]): JsonObject {
  const chunks = parts.flatMap(({ name, value, fileName, type }) => [
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`,
    ),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ]);
  const body = Buffer.concat([...chunks, Buffer.from(`--${BOUNDARY}--\r\n`)]);
  return {
    method: 'POST',
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: body.toString('base64'),
    body_encoding: 'base64',
  };
}

/** The fields of a mail that SendGrid has parsed, named and written as in its documentation. */
export function parsedFields(headers: readonly string[], changes: Record<string, string> = {}): FormPart[] {
  const fields: Record<string, string> = {
    headers: `${headers.join('\n')}\n`,
    dkim: '{@example.org : pass}',
    to: 'agent@inbound.example.com',
    from: 'Jane <jane@example.org>',
    text: 'Is the build green?\n',
    html: '<p>Is the build green?</p>',
    sender_ip: '203.0.113.7',
    SPF: 'pass',
    spam_score: '0.1',
    envelope: '{"to":["Agent@inbound.example.com"],"from":"jane@example.org"}',
    attachments: '0',
    subject: 'Build',
    charsets: '{"to":"UTF-8","from":"UTF-8","subject":"UTF-8","text":"utf-8","html":"utf-8"}',
    ...changes,
  };
  return Object.entries(fields).map(([name, value]) => ({ name, value }));
}
