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

const formType = /^application\/x-www-form-urlencoded\b/i;

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

  get isForm(): boolean {
    return formType.test(this.header('content-type') ?? '');
  }

  /** The fields of a form sorted by name, each name and value one behind the other; empty for any other body. */
  get params(): string {
    if (!this.isForm) return '';
    const pairs = [...new URLSearchParams(this.request.body.toString('utf8'))];
    return pairs
      .toSorted(([a, x], [b, y]) => (a === b ? compared(x, y) : compared(a, b)))
      .map((pair) => pair.join(''))
      .join('');
  }

  /** The body as JSON; the fields of a form as an object. Undefined for a body that is neither. */
  get document(): unknown {
    this.readDocument ??= { value: this.isForm ? formOf(this.request.body) : jsonOf(this.request.body) };
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

/** The first value of each field. Many senders put JSON into one of them: it is read as well. */
export function formOf(body: Buffer): Record<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const [name, value] of new URLSearchParams(body.toString('utf8'))) {
    if (fields.has(name)) continue;
    const parsed = /^\s*[{[]/.test(value) ? parseJson(value, parseKeepingNumbers) : undefined;
    fields.set(name, isJsonObject(parsed) || Array.isArray(parsed) ? parsed : value);
  }
  return Object.fromEntries(fields);
}
