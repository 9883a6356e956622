import MailComposer from 'nodemailer/lib/mail-composer';
import type { MailPart } from './mail-part.js';

/** The bytes of a part as a MIME message: plain text, with an HTML alternative where the text was Markdown. */
export function composeMime(part: MailPart, from: string | undefined): Promise<Buffer> {
  const message = new MailComposer({
    ...(from !== undefined && { from }),
    to: { name: '', address: part.to },
    subject: part.subject,
    text: part.text,
    ...(part.html !== undefined && { html: part.html }),
    messageId: part.messageId,
    headers: part.headers,
    attachments: part.files.map(({ name, contentType, bytes }) => ({ filename: name, contentType, content: bytes })),
    newline: 'win',
    // A message must not cause files to be read from this machine, or URLs to be fetched by it.
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  return new Promise((resolve, reject) => {
    message.build((error, bytes) => (error || !bytes ? reject(error ?? new Error('empty message')) : resolve(bytes)));
  });
}
