import { jsonPointerGet } from '../json-pointer.js';
import type { RequestValues } from './request-values.js';

export type ValueName =
  | 'body'
  | 'timestamp'
  | 'url'
  | 'uri'
  | 'method'
  | 'path'
  | 'params'
  | 'header'
  | 'headers'
  | 'query'
  | 'pointer'
  | 'present';

/** A value of a request, and for some of them which one; of `headers`, the header that lists them. */
export interface TemplateValue {
  name: ValueName;
  of: string;
}

/** Text with values of a request in it. */
export type ValueTemplate = (string | TemplateValue)[];

const plain: readonly string[] = ['body', 'timestamp', 'url', 'uri', 'method', 'path', 'params'];

/** @returns null when braces do not pair, or hold something that is no value */
export function parseTemplate(text: string): ValueTemplate | null {
  const template: ValueTemplate = [];
  for (const piece of text.split(/(\{[^{}]*\})/)) {
    if (piece === '') continue;
    if (!piece.startsWith('{')) {
      if (/[{}]/.test(piece)) return null;
      template.push(piece);
      continue;
    }
    const value = valueNamed(piece.slice(1, -1));
    if (value === null) return null;
    template.push(value);
  }
  return template;
}

function valueNamed(text: string): TemplateValue | null {
  if (plain.includes(text)) return { name: text as ValueName, of: '' };
  const pointer = text.replace(/^\?/, '');
  if (pointer.startsWith('/') && !/~(?![01])/.test(pointer)) {
    return { name: pointer === text ? 'pointer' : 'present', of: pointer };
  }
  const [, name, of] = /^(headers?|query):([\w.-]+)$/.exec(text) ?? [];
  if (of === undefined) return null;
  return name === 'query' ? { name, of } : { name: name === 'header' ? name : 'headers', of: of.toLowerCase() };
}

/** The value's text; undefined where the request has none. The body and the time are known to the caller. */
export function valueOf({ name, of }: TemplateValue, values: RequestValues): string | undefined {
  switch (name) {
    case 'header':
      return values.header(of);
    case 'headers':
      return values.listed(of);
    case 'query':
      return values.query.get(of) ?? undefined;
    case 'pointer':
      return values.text(of);
    case 'present':
      return jsonPointerGet(values.document, of) === undefined ? undefined : '';
    case 'method':
      return values.request.method;
    case 'url':
      return values.request.url;
    case 'uri':
      return withoutEscapes(values.request.url);
    case 'path':
      return values.path;
    case 'params':
      return values.params;
    default:
      return undefined;
  }
}

const parsed = new Map<string, ValueTemplate | null>();
const maxParsed = 5_000;

/**
 * A template's text; undefined as soon as one of its values is absent or empty. `{?/a/b}` is empty text where the body
 * has that value, whatever it is.
 */
export function filledTemplate(text: string, values: RequestValues): string | undefined {
  let template = parsed.get(text);
  if (template === undefined) {
    template = parseTemplate(text);
    if (parsed.size >= maxParsed) parsed.clear();
    parsed.set(text, template);
  }
  let filled = '';
  for (const part of template ?? []) {
    const value = typeof part === 'string' ? part : valueOf(part, values);
    if (value === undefined || (value === '' && typeof part !== 'string' && part.name !== 'present')) return undefined;
    filled += value;
  }
  return filled === '' ? undefined : filled;
}

/** The escapes that HubSpot undoes before it signs a URI. */
const escapes = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi;

const withoutEscapes = (url: string): string => url.replace(escapes, (escape) => decodeURIComponent(escape));
