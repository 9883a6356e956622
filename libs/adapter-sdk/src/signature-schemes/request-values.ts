import { parseKeepingNumbers, wholeNumberAsText } from '../json-numbers.js';
import { jsonPointerGet } from '../json-pointer.js';
import { isJsonObject, parseJson } from '../json-value.js';

/** A request as a sender sent it. Header names are in lower case. */
export interface ReceivedRequest {
  method: string;
  /** The public URL, with its query. */
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

const urlEncoded = /^application\/x-www-form-urlencoded\b/i;
const multipart = /^multipart\/form-data\s*;.*?\bboundary=(?:"([^"]+)"|([^\s;]+))/i;
const maxParts = 1_000;

/** The values of one request, each read when it is first asked for. */
export class RequestValues {
  private readQuery: URLSearchParams | undefined;
  private readDocument: { value: unknown } | undefined;

  constructor(readonly request: ReceivedRequest) {}

  /** The same request, whose pointers start at an entry of its body. */
  within(entry: unknown): RequestValues {
    const values = new RequestValues(this.request);
    values.readDocument = { value: entry };
    return values;
  }

  /** The first value of a header. */
  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  }

  /** The names of the headers that a header lists, by commas, in order. */
  namesIn(list: string): string[] {
    const names = (this.header(list) ?? '').split(',').map((name) => name.trim().toLowerCase());
    return [...new Set(names.filter((name) => name !== ''))].toSorted(compared);
  }

  /** Those headers as `name:value`, with `;` between them. Undefined where one of them is absent, or where none is listed. */
  listed(list: string): string | undefined {
    const names = this.namesIn(list);
    const pairs = names.map((name) => [name, this.header(name)?.trim()]);
    if (names.length === 0 || pairs.some(([, value]) => value === undefined)) return undefined;
    return pairs.map((pair) => pair.join(':')).join(';');
  }

  get query(): URLSearchParams {
    const { url } = this.request;
    const question = url.indexOf('?');
    return (this.readQuery ??= new URLSearchParams(question < 0 ? '' : url.slice(question)));
  }

  get path(): string {
    return this.request.url.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
  }

  get isUrlEncoded(): boolean {
    return urlEncoded.test(this.header('content-type') ?? '');
  }

  /** The fields of a form sorted by name, each name and value one behind the other; empty for any other body. */
  get params(): string {
    if (!this.isUrlEncoded) return '';
    const pairs = [...new URLSearchParams(this.request.body.toString('utf8'))];
    return pairs
      .toSorted(([a, x], [b, y]) => (a === b ? compared(x, y) : compared(a, b)))
      .map((pair) => pair.join(''))
      .join('');
  }

  /** The body as JSON; the fields of a form as an object. Undefined for a body that is neither. */
  get document(): unknown {
    const { body } = this.request;
    this.readDocument ??= { value: formOf(body, this.header('content-type') ?? '') ?? jsonOf(body) };
    return this.readDocument.value;
  }

  /** The text, number or truth value at a pointer, as text. */
  text(pointer: string): string | undefined {
    const value = wholeNumberAsText(jsonPointerGet(this.document, pointer));
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : undefined;
  }
}

const compared = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function jsonOf(body: Buffer): unknown {
  const text = body.toString('utf8');
  return parseJson(text.startsWith('\ufeff') ? text.slice(1) : text, parseKeepingNumbers);
}

/**
 * The first value of each field of a form, urlencoded or multipart; undefined for any other body. Many senders put JSON
 * into one of them: it is read as well. Files are left out.
 */
export function formOf(body: Buffer, contentType: string): Record<string, unknown> | undefined {
  const text = body.toString('utf8');
  const pairs = urlEncoded.test(contentType) ? new URLSearchParams(text) : fieldsOfParts(text, contentType);
  if (pairs === undefined) return undefined;
  const fields = new Map<string, unknown>();
  for (const [name, value] of pairs) {
    if (fields.has(name)) continue;
    const parsed = /^\s*[{[]/.test(value) ? parseJson(value, parseKeepingNumbers) : undefined;
    fields.set(name, isJsonObject(parsed) || Array.isArray(parsed) ? parsed : value);
  }
  return Object.fromEntries(fields);
}

/** The fields of `multipart/form-data` (RFC 7578); undefined for another type, or one that names no boundary. */
function fieldsOfParts(body: string, contentType: string): [name: string, value: string][] | undefined {
  const [, quoted, bare] = multipart.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) return undefined;
  const parts = `\r\n${body}`.split(`\r\n--${boundary}`, maxParts + 2).slice(1);
  return parts.flatMap((part): [string, string][] => {
    const end = part.indexOf('\r\n\r\n');
    const disposition = /^content-disposition:\s*form-data\b(.*)$/im.exec(part.slice(0, Math.max(end, 0)))?.[1] ?? '';
    const name = /;\s*name="([^"]*)"/i.exec(disposition)?.[1];
    return name === undefined || /;\s*filename\*?=/i.test(disposition) ? [] : [[name, part.slice(end + 4)]];
  });
}
