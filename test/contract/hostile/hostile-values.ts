import { writeCursor } from '#libs/service-kit';
import fc from 'fast-check';

/** JSON that `JSON.stringify` cannot write: a number beyond a double, a duplicate name. */
export class RawJson {
  constructor(readonly text: string) {}
}

/** @returns JSON text, with raw parts unchanged */
export function jsonText(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([name, entry]) => `${JSON.stringify(name)}:${jsonText(entry)}`)
      .join(',')}}`;
  }
  return JSON.stringify(value);
}

const times = ['2026-99-99', '+275760-09-14T00:00:00Z', '0000-00-00T00:00:00Z', '-271821-04-20T00:00:00Z', 'infinity'];
const numbers = ['-1', '0', '0.5', '2147483648', '9007199254740993', '9223372036854775808', '1e308', '1e999', '-1e999'];

/** Texts that some part of a system may be unable to store, compare, encode or classify. */
const texts = [
  '',
  ' ',
  '\ud800',
  'a\udfffb',
  '\u0000',
  'a\u0000b',
  '\ufeff',
  '\u202e',
  '\uffff',
  '\u{1f4a9}',
  '__proto__',
  'constructor',
  'toString',
  'null',
  '[]',
  '{',
  '%',
  '%_\\',
  "'; SELECT 1; --",
  '$1',
  '\\u0000',
  '"',
  '../..',
  '/',
  'a\r\nx: y',
  '(?:a+)+$',
  '*',
  '~',
  '{{x}}',
  'key:\ud800',
  'http://[',
  'http://127.0.0.1:9/',
  'x:',
  ...times,
  ...numbers,
  '9'.repeat(400),
  'x'.repeat(100_000),
];

const nested = (levels: number, open: string, close: string): string =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;
const raw = [
  ...numbers,
  '12345678901234567890',
  '{"__proto__":{"admin":true}}',
  '{"constructor":{"prototype":{"admin":true}}}',
  '{"a":1,"a":"\\udc00"}',
  '{"\\ud800":1,"\\u0000":2}',
  '{"toString":1,"hasOwnProperty":2,"then":3}',
  '{"$ref":"#","type":["object"],"properties":5}',
  nested(90, '[', ']'),
  nested(90, '{"a":', '}'),
  nested(5_000, '[', ']'),
].map((text) => new RawJson(text));

export const hostileText = fc.constantFrom(...texts);

export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(null, true, {}, [], [null], [[]], [{}], ['\ud800'], ['a', 'a'], { a: '\u0000' }),
  fc.constantFrom<unknown>(...raw),
  fc.constantFrom<unknown>(...[7, 'x', '\ud800', {}, null].map((entry) => Array.from({ length: 10_000 }, () => entry))),
);

/** Bodies as bytes, most of them not JSON. */
export const hostileBytes = fc.constantFrom(
  ...['', '{', 'null', '5', '"x"', '[]', '\ufeff{}', '{"a":\u0000}', '{"a":1e999}', '{"a":NaN}', '{}{}'].map((text) =>
    Buffer.from(text),
  ),
  Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from(nested(100_000, '[', ']')),
  Buffer.from(`[${'{},'.repeat(10_000)}{}]`),
);

/** Percent-encodings as they appear in a URL. */
const encodings = ['%00', 'a%00b', '%ED%A0%80', '%FF', '%', '%zz', '%2e%2e%2f', '%F0%9F%92%A9', '%0d%0ax:y', '%252f'];

/** A path segment, or the value of a query parameter. */
export const hostileAddress: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...encodings),
  fc.constantFrom(...numbers, '0x10', '1_000', '00', 'NaN', '-0', '9'.repeat(299), 'x'.repeat(299), 'x'.repeat(4_000)),
  hostileText.filter((text) => text !== '' && text.length < 500).map(encoded),
);

/** Cursors that look like those of a page, with arbitrary positions. */
export const hostileCursor: fc.Arbitrary<string> = hostileText.filter((text) => text.length < 3_000).map(writeCursor);

/** A character without an encoding is sent as the bytes that it would have. */
export function encoded(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd')).replaceAll('%EF%BF%BD', '%ED%A0%80');
}
