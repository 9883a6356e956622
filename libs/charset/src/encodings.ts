import { TextDecoder } from 'node:util';

/** Bytes to text in one encoding. `decode` throws a TypeError where the decoder is fatal and the bytes do not fit. */
export interface Decoder {
  readonly encoding: string;
  decode(bytes: Uint8Array, options: { stream: boolean }): string;
}

/** Encodings that Node does not know, by their names in IANA's registry: what bytes 128 to 255 mean. */
const codePages: Record<string, string> = {
  ibm437:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  ibm850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  ibm852:
    'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0',
};

/**
 * Names that programs write beside those of the WHATWG Encoding Standard: without what separates their parts, by what
 * they are in it.
 */
const otherNames: [pattern: RegExp, name: string][] = [
  [/^(?:windows|win|cp|ms|ansi)?(125[0-8]|874)$/, 'windows-$1'],
  [/^(?:windows|cp|ms|ibm)?932c?$|^(?:x|cs)?s(?:hift)?jis\w*$/, 'shift_jis'],
  [/^(?:xwindows|windows|cp|ms)?949$|^uhc$/, 'euc-kr'],
  [/^(?:windows|cp|ms|ibm)?936$/, 'gbk'],
  [/^(?:windows|cp|ms)?950$/, 'big5'],
  [/^(?:cp|ibm|dos)?(437|850|852|866)$/, 'ibm$1'],
  [/^(?:cp|windows)?65001$|^utf8\w*$/, 'utf-8'],
  [/^(?:iso)?8859(1[0-6]|[1-9])$/, 'iso-8859-$1'],
  [/^euc(jp|kr)$/, 'euc-$1'],
  [/^koi8(r|u)$/, 'koi8-$1'],
  [/^(?:x)?mac(?:os)?roman$/, 'macintosh'],
  [/^(?:utf|ucs)(32|4)$/, 'utf-32'],
  [/^(?:utf|ucs)(?:32|4)(le|be)$/, 'utf-32$1'],
];

/** @returns null for an unknown label */
export function decoderOf(label: string, fatal: boolean): Decoder | null {
  const known = standardDecoder(label, fatal);
  if (known) return known;
  const bare = label.toLowerCase().replace(/[^a-z\d]/g, '');
  for (const [pattern, name] of otherNames) {
    if (!pattern.test(bare)) continue;
    const standard = bare.replace(pattern, name);
    if (standard.startsWith('utf-32')) return utf32(standard === 'utf-32be', fatal);
    const page = codePages[standard];
    return page === undefined ? standardDecoder(standard, fatal) : ofCodePage(standard, page);
  }
  return null;
}

/** A label that the constructor does not know is the only case in which it throws a RangeError. */
function standardDecoder(label: string, fatal: boolean): Decoder | null {
  try {
    return new TextDecoder(label, { fatal });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function ofCodePage(encoding: string, page: string): Decoder {
  const upper = [...page];
  const decode = (bytes: Uint8Array): string =>
    Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : (upper[byte - 128] ?? ''))).join('');
  return { encoding, decode };
}

/** UTF-32, which the standard leaves out. */
function utf32(isBigEndian: boolean, fatal: boolean): Decoder {
  const decode = (bytes: Uint8Array, { stream }: { stream: boolean }): string => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const letters: string[] = [];
    for (let at = 0; at + 4 <= bytes.length; at += 4) {
      const code = view.getUint32(at, !isBigEndian);
      if (at === 0 && code === 0xfeff) continue;
      const isLetter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
      if (!isLetter && fatal) throw new TypeError('the bytes are not UTF-32');
      letters.push(isLetter ? String.fromCodePoint(code) : '\ufffd');
    }
    if (bytes.length % 4 === 0 || stream) return letters.join('');
    if (fatal) throw new TypeError('the last letter of UTF-32 is cut');
    return `${letters.join('')}\ufffd`;
  };
  return { encoding: isBigEndian ? 'utf-32be' : 'utf-32le', decode };
}
