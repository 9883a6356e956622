import { types } from 'node:util';

/** Text in a charset that a mail names; as UTF-8 where nobody knows that charset. */
export function decodeText(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch (error) {
    if (types.isNativeError(error) && error.name === 'RangeError') return bytes.toString('utf8');
    throw error;
  }
}
