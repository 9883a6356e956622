import type { JsonObject, MessageAttachment } from '#libs/adapter-sdk';
import { decodeMail } from '../mail/decode-mail.js';
import type { MailLine } from '../mail/mail-line.js';
import { bodyLines, type MailFile, readFiles } from '../mail/read-mime.js';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';

/** More than a mail written by a person has. */
const MAX_PARTS = 1_000;

/**
 * The text and the attachments of a payload. The tree is walked without recursion, since the sender decides its depth.
 */
export function readParts(
  payload: JsonObject,
  messageId: string,
): {
  lines: MailLine[];
  files: MailFile[];
  attachments: MessageAttachment[];
} {
  const texts: string[] = [];
  const htmls: string[] = [];
  const attachments: MessageAttachment[] = [];
  const files: MailFile[] = [];
  const open = [payload];
  for (let part = open.pop(), seen = 0; part !== undefined && seen < MAX_PARTS; part = open.pop(), seen++) {
    open.push(...objectsOf(part.parts).reverse());
    const [type, fileName] = [textOf(part.mimeType)?.toLowerCase() ?? '', textOf(part.filename)];
    const body = objectOf(part.body);
    const data = textOf(body.data);
    if (data !== undefined) files.push({ type, bytes: Buffer.from(data, 'base64url') });
    if (fileName !== undefined || textOf(body.attachmentId) !== undefined) {
      attachments.push(describe(part, body, { fileName, type, messageId }));
    } else if (type === 'text/plain') texts.push(decode(part, body));
    else if (type === 'text/html') htmls.push(decode(part, body));
  }
  return { files: readFiles(files), lines: bodyLines(texts.join('\n'), htmls.join('\n')), attachments };
}

function describe(
  part: JsonObject,
  body: JsonObject,
  { fileName, type, messageId }: { fileName: string | undefined; type: string; messageId: string },
): MessageAttachment {
  const attachmentId = textOf(body.attachmentId);
  return {
    id: textOf(part.partId) ?? '',
    ...(fileName !== undefined && { name: fileName }),
    content_type: type,
    ...(typeof body.size === 'number' && { size: body.size }),
    // A path of this adapter's own document source.
    ...(attachmentId !== undefined && { fetch_ref: `${messageId}/${attachmentId}` }),
  };
}

/** Gmail returns text as UTF-8, whatever the part says; if the bytes are not UTF-8, the part's charset decides. */
function decode(part: JsonObject, body: JsonObject): string {
  const bytes = Buffer.from(textOf(body.data) ?? '', 'base64url');
  const contentType = objectsOf(part.headers).find((header) => textOf(header.name)?.toLowerCase() === 'content-type');
  const charset = /charset="?([\w.:-]{1,40})/i.exec(textOf(contentType?.value) ?? '')?.[1] ?? 'utf-8';
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? decodeMail(bytes, charset) : text;
}
