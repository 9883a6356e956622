import { types } from 'node:util';

/** Text in a charset that a mail names; UTF-8 if the charset is unknown. */
export function decodeText(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch (error) {
    if (types.isNativeError(error) && error.name === 'RangeError') return bytes.toString('utf8');
    throw error;
  }
}
