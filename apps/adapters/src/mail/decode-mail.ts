import { decodeText } from '#libs/charset';

/** Text in a charset that a mail names; UTF-8 if the charset is unknown, or wrong. */
export function decodeMail(bytes: Buffer, charset: string): string {
  const contentType = `text/plain; charset="${charset.replaceAll('"', '')}"`;
  return decodeText(bytes, { contentType })?.text ?? bytes.toString('utf8');
}
