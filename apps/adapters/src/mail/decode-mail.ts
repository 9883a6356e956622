import { decodeText } from '#libs/charset';

/** How ISO-2022-JP leaves ASCII, which no other charset of mails does. */
const JAPANESE = ['\u001b$@', '\u001b$B'];

/** Text in the charset that a mail names, or rather in the one that its bytes are in; UTF-8 if neither is known. */
export function decodeMail(bytes: Buffer, charset: string): string {
  const label = charset.replaceAll('"', '').trim();
  if (/^(?:unicode-1-1-|x-)?utf-?7$/i.test(label)) return decodeUtf7(bytes.toString('latin1'));
  const named =
    JAPANESE.some((escape) => bytes.includes(escape, 0, 'latin1')) && !/^iso-2022/i.test(label) ? 'iso-2022-jp' : label;
  const contentType = named === '' ? 'text/plain' : `text/plain; charset="${named}"`;
  return decodeText(bytes, { contentType })?.text ?? bytes.toString('utf8');
}

/** RFC 2152: `+` begins UTF-16 in base64, up to a `-` or the first character that is none of base64. */
function decodeUtf7(text: string): string {
  return text.replaceAll(/\+([A-Za-z0-9+/]*)-?/g, (_whole, encoded: string) => {
    if (encoded === '') return '+';
    const bytes = Buffer.from(encoded, 'base64');
    const even = bytes.subarray(0, bytes.length - (bytes.length % 2));
    return Buffer.from(even).swap16().toString('utf16le');
  });
}
