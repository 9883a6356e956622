import type { Email } from 'postal-mime';
import type { HeaderMap, MessageAttachment } from '#libs/adapter-sdk';
import { htmlLines } from './html-lines.js';
import { MailParser, withLineFeeds } from './mail-charset.js';
import { type MailLine, textLines } from './mail-line.js';

/** The fields of a MIME message that the adapters use. */
export interface ReadMail {
  headers: HeaderMap;
  subject: string | undefined;
  lines: MailLine[];
  /** Parts that say what the mail is: of reports, and calendars. */
  files: MailFile[];
  /** Without their bytes: the mail itself stays where it can be fetched. */
  attachments: MessageAttachment[];
}

/** A part with its bytes. */
export interface MailFile {
  type: string;
  bytes: Uint8Array;
  /** Of a calendar part, where its label names one. */
  method?: string | undefined;
}

const READ_FILES =
  /^(?:message\/(?:(?:global-)?(?:delivery-status|disposition-notification)|feedback-report|rfc822|global|global-headers)|text\/(?:rfc822-headers|calendar)|application\/ics)$/;

/** Those of the parts that `ReadMail.files` has. */
export function readFiles(files: readonly MailFile[]): MailFile[] {
  return files.filter(({ type }) => READ_FILES.test(type));
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
      lines: bodyLines(email.text, email.html),
      files: readFiles(email.attachments.map(fileOf)),
      attachments: email.attachments.map(describe),
    }
  );
}

function parse(bytes: Uint8Array | string): Promise<Email | undefined> {
  const whole = withLineFeeds(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
  return new MailParser(LIMITS).parse(whole).catch((error: unknown) => {
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

/** Those of the text part, else of the HTML part. */
export function bodyLines(text: string | undefined, html: string | undefined): MailLine[] {
  return text !== undefined && text.trim() !== '' ? textLines(text) : htmlLines(html ?? '');
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

function fileOf({ mimeType, content, method }: Email['attachments'][number]): MailFile {
  const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
  return { type: mimeType.toLowerCase(), bytes, method };
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
