import PostalMime, { type Email } from 'postal-mime';
import type { HeaderMap, MessageAttachment } from '#libs/adapter-sdk';
import { htmlToText } from './html-to-text.js';

/** The fields of a MIME message that the adapters use. */
export interface ReadMail {
  headers: HeaderMap;
  subject: string | undefined;
  text: string;
  /** Without their bytes: the mail itself stays where it can be fetched. */
  attachments: MessageAttachment[];
}

/** Deep enough for forwards of forwards; a mail made to exhaust a parser is refused. */
const LIMITS = { maxNestingDepth: 64, maxHeadersSize: 512 * 1024, maxRfc822NestingDepth: 5 };

/** Reads a MIME message; undefined when it cannot be read within the limits. */
export async function readMime(bytes: Uint8Array | string): Promise<ReadMail | undefined> {
  const email = await parse(bytes);
  return (
    email && {
      headers: headerMap(email.headers.map(({ key, value }) => [key, value])),
      subject: email.subject,
      text: bodyText(email.text, email.html),
      attachments: email.attachments.map(describe),
    }
  );
}

function parse(bytes: Uint8Array | string): Promise<Email | undefined> {
  return PostalMime.parse(bytes, LIMITS).catch((error: unknown) => {
    if (error instanceof Error) return undefined;
    throw error;
  });
}

/** The bytes of an attachment by its place in `ReadMail.attachments`; undefined when there is none. */
export async function attachmentOf(
  bytes: Uint8Array,
  index: number,
): Promise<{ bytes: Buffer; contentType: string } | undefined> {
  const found = (await parse(bytes))?.attachments[index];
  if (!found) return undefined;
  const { content, mimeType } = found;
  return {
    bytes: typeof content === 'string' ? Buffer.from(content) : Buffer.from(new Uint8Array(content)),
    contentType: mimeType,
  };
}

/** The text part, else the text of the HTML part. */
export function bodyText(text: string | undefined, html: string | undefined): string {
  return text !== undefined && text.trim() !== '' ? text : htmlToText(html ?? '');
}

/** Headers as the SDK looks them up: every value of a name, in order. */
export function headerMap(entries: Iterable<readonly [string, string]>): HeaderMap {
  const map = new Map<string, string[]>();
  for (const [name, value] of entries) {
    const key = name.toLowerCase();
    map.set(key, [...(map.get(key) ?? []), value]);
  }
  return Object.fromEntries(map);
}

function describe(attachment: Email['attachments'][number], index: number): MessageAttachment {
  const { content, filename, mimeType } = attachment;
  return {
    id: attachment.contentId ?? String(index + 1),
    ...(filename !== null && { name: filename }),
    content_type: mimeType,
    size: typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength,
  };
}
