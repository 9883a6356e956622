import { parseKeepingNumbers } from '#libs/adapter-sdk';

/** Deeper arguments are not read: what works on them goes down level by level. */
const maxDepth = 64;
/** Arguments that were encoded once too often are text that holds JSON text. */
const maxEncodings = 4;
/** How templates of open models write "no arguments". */
const nothing: ReadonlySet<string> = new Set(['', 'null', 'undefined', 'None']);

/**
 * The arguments of a call as endpoints send them: JSON as text, an object, text in text, the fragments of a stream, a
 * list around one object, or nothing at all. Nothing that was cut off is completed: half an argument must not be used.
 * A number that a double would change is its digits as text, so that no tool acts on another one.
 * @returns the value, usually an object; the text itself if it is no JSON or nested too deep (`argumentsProblem`)
 */
export function readArguments(given: unknown): unknown {
  let value = given;
  for (let encodings = 0; encodings < maxEncodings; encodings += 1) {
    if (Array.isArray(value)) value = fromList(value);
    if (value === undefined || value === null) return {};
    if (typeof value !== 'string') break;
    const text = withoutFence(value);
    if (nothing.has(text)) return {};
    const read = readJson(text);
    if (read === null) return value;
    ({ value } = read);
  }
  if (typeof value !== 'object' || value === null) return value;
  const text = JSON.stringify(value);
  return depthOf(text) > maxDepth ? text : value;
}

/** The one JSON value of a text, also in a code fence or with a template's tokens behind it; undefined: there is none. */
export function jsonIn(text: string): unknown {
  return readJson(withoutFence(text))?.value;
}

/** Why arguments that `readArguments` left as text are no object, for the model. */
export function argumentsProblem(text: string): string {
  const sent = `They begin with ${JSON.stringify(text.slice(0, 120))}.`;
  try {
    JSON.parse(withoutFence(text));
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 300) : 'unreadable';
    return `The arguments are not valid JSON (${why}), or were cut off: send one complete JSON object. ${sent}`;
  }
  if (depthOf(text) > maxDepth) return `The arguments are nested deeper than ${maxDepth} levels. ${sent}`;
  return `The arguments are a JSON text, not a JSON object. ${sent}`;
}

/** Levels of objects and lists in a JSON text, also in an incomplete one. */
export function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  let inText = false;
  for (let at = 0; at < json.length; at += 1) {
    const char = json[at];
    if (inText) {
      if (char === '\\') at += 1;
      else if (char === '"') inText = false;
    } else if (char === '"') inText = true;
    else if (char === '{' || char === '[') deepest = Math.max(deepest, (depth += 1));
    else if (char === '}' || char === ']') depth -= 1;
  }
  return deepest;
}

/** A list around the arguments, or the fragments of their text. */
function fromList(list: unknown[]): unknown {
  if (list.length > 1 && list.every((part) => typeof part === 'string')) return list.join('');
  return list.length <= 1 ? list[0] : list;
}

function withoutFence(text: string): string {
  const bare = text.replace(/^\ufeff/, '').trim();
  return /^```[a-z]*\n?([^]*?)\n?```$/i.exec(bare)?.[1]?.trim() ?? bare;
}

function readJson(text: string): { value: unknown } | null {
  for (const attempt of [text, tidied(text)]) {
    if (attempt === null || depthOf(attempt) > maxDepth) continue;
    try {
      return { value: parseKeepingNumbers(attempt) };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return null;
}

/** What may follow complete arguments: brackets too many, commas, and the special tokens of chat templates. */
const harmless = /^[\s,;}\]`]*(?:<[|/]?[\w| -]{1,40}[|]?>\s*)*$/;

/**
 * The first whole value of a text, without commas before a closing bracket, and with line ends inside texts escaped.
 * @returns null when there is none, or when more follows than `harmless`
 */
function tidied(text: string): string | null {
  let out = '';
  let depth = 0;
  let inText = false;
  let comma = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (inText) {
      if (char === '\\') {
        out += char + (text[at + 1] ?? '');
        at += 1;
        continue;
      }
      if (char === '"') inText = false;
      out += char < ' ' ? JSON.stringify(char).slice(1, -1) : char;
      continue;
    }
    // A comma waits for what follows it.
    if (/\s/.test(char) ? comma !== '' : char === ',' && comma === '') {
      comma += char;
      continue;
    }
    const closes = char === '}' || char === ']';
    out += closes ? char : comma + char;
    comma = '';
    if (char === '"') inText = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (closes) depth -= 1;
    if (depth === 0 && !inText && char.trim() !== '') return closes && harmless.test(text.slice(at + 1)) ? out : null;
  }
  return null;
}
