import { emptyReading, type Reading } from './reading.js';

/** A mark opens behind what is no word and before what is no space, and closes the other way round, on one line. */
const STYLE = /(?<![\p{L}\p{N}])([*_~])(?=\S)([^\n]*?\S)\1(?![\p{L}\p{N}])/u;
const CODE = /```([^]*?)```|`([^`\n]+)`/;

/** A zero-width space is taken for a space; ECMAScript calls only this one so. */
const [ZERO_WIDTH_SPACE, SPACE] = ['\u200b', '\ufeff'];

/** WhatsApp's marks as its help describes them; nothing escapes one. */
export function readWhatsapp(text: string): Reading {
  const reading = emptyReading();
  let rest = text.replaceAll(ZERO_WIDTH_SPACE, SPACE);
  for (let code = CODE.exec(rest); code; code = CODE.exec(rest)) {
    const value = code[1] === undefined ? (code[2] ?? '') : code[1].replaceAll(/^\n|\n$/g, '');
    reading.text += styled(rest.slice(0, code.index), reading) + value;
    reading.code.push(value);
    rest = rest.slice(code.index + code[0].length);
  }
  reading.text = (reading.text + styled(rest, reading)).replaceAll(/^> /gm, '');
  return reading;
}

function styled(text: string, reading: Reading): string {
  const found = STYLE.exec(text);
  if (!found) {
    const shown = text.replaceAll(SPACE, ZERO_WIDTH_SPACE);
    reading.notifying.push(shown);
    return shown;
  }
  const [whole, mark, content = ''] = found;
  const inner = styled(content, reading);
  if (mark === '*') reading.bold.push(inner);
  if (mark === '~') reading.struck.push(inner);
  return styled(text.slice(0, found.index), reading) + inner + styled(text.slice(found.index + whole.length), reading);
}
