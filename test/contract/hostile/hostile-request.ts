import fc from 'fast-check';
import type { ApiDocument, DescribedOperation, Schema } from '../api-document.js';
import type { RawRequest } from './exchange.js';
import { hostileAddress, hostileBytes, hostileCursor, hostileJson, hostileText, jsonText } from './hostile-values.js';
import { idsFor, type KnownIds, namesId, placeOf } from './known-ids.js';
import { type PlausibleBody, plausibleBody, replaced } from './plausible-body.js';

/** What requests may refer to: the caller's own objects, and existing foreign ones. */
export interface Named {
  own: KnownIds;
  foreign: KnownIds;
  /** Example bodies by operationId. */
  examples: Record<string, Record<string, unknown>>;
}

export interface HostileRequest extends RawRequest {
  /** Whether a foreign id is in the place of one of the caller's own. */
  namesForeign: boolean;
}

const none = 'none_00000000000000000000000000000000';
const oneOf = (ids: readonly string[], otherwise: string): fc.Arbitrary<string> =>
  fc.constantFrom(...(ids.length > 0 ? ids : [otherwise]));

/** Arbitrary requests of one operation: valid except for a few mutations. Shrinking leads towards a valid request. */
export function hostileRequest(
  document: ApiDocument,
  operation: DescribedOperation,
  named: Named,
): fc.Arbitrary<HostileRequest> {
  return fc
    .record({
      path: pathOf(operation, named),
      query: queryOf(operation, named),
      headers: headersOf(operation),
      body: bodyOf(document, operation, named),
    })
    .map(({ path, query, headers, body }) => ({
      method: operation.method,
      path: `${path.text}${query}`,
      headers: { ...headers, ...(body.bytes ? { 'content-type': 'application/json' } : {}) },
      body: body.bytes,
      namesForeign: path.foreign || body.foreign,
    }));
}

interface Part {
  text: string;
  foreign: boolean;
}

function pathOf({ path }: DescribedOperation, { own, foreign }: Named): fc.Arbitrary<Part> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const values = names.map((name): fc.Arbitrary<Part> => {
    const place = placeOf(path, name);
    const mine = own.get(place) ?? [];
    const theirs = (foreign.get(place) ?? []).filter((id) => !mine.includes(id));
    const as = (text: fc.Arbitrary<string>, isForeign = false) =>
      text.map((value) => ({ text: value, foreign: isForeign }));
    return fc.oneof(
      { weight: 6, arbitrary: as(oneOf(mine, none)) },
      { weight: 2, arbitrary: as(oneOf(theirs, none), theirs.length > 0) },
      { weight: 2, arbitrary: as(hostileAddress) },
    );
  });
  return fc.tuple(...values).map((parts) => ({
    text: names.reduce((text, name, index) => text.replace(`{${name}}`, () => parts[index]?.text ?? ''), path),
    foreign: parts.some((part) => part.foreign),
  }));
}

function queryOf({ parameters = [] }: DescribedOperation, { own, foreign }: Named): fc.Arbitrary<string> {
  const declared = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const pair = fc.oneof(
    { weight: 4, arbitrary: declared.length > 0 ? fc.constantFrom(...declared) : fc.constant('limit') },
    { weight: 1, arbitrary: fc.constantFrom('__proto__', 'a[b]', '%', '%00', 'x', '') },
  );
  const of = (name: string): fc.Arbitrary<string> => {
    const ids = [...idsFor(own, name), ...idsFor(foreign, name)];
    const given = name === 'cursor' ? hostileCursor : oneOf(ids, '1');
    return fc.oneof(given, hostileAddress).map((value) => `${name}=${value}`);
  };
  return fc.array(pair.chain(of), { maxLength: 3 }).map((pairs) => (pairs.length > 0 ? `?${pairs.join('&')}` : ''));
}

/** Headers cannot contain every character: these are from Latin-1, without line breaks. */
function headersOf({ parameters = [] }: DescribedOperation): fc.Arbitrary<Record<string, string>> {
  const declared = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name.toLowerCase());
  const text = hostileText.map((value) => value.replaceAll(/[^\t -~\u00a0-\u00ff]/g, '\u00ff').slice(0, 5_000));
  const plain = fc.uuid();
  const wrong = fc.constantFrom(...declared, 'if-match', 'if-none-match', 'x-request-id', 'accept', 'last-event-id');
  const meant = fc.tuple(
    ...declared.filter((name) => name !== 'if-match').map((name) => fc.tuple(fc.constant(name), plain)),
  );
  return fc
    .tuple(meant, fc.option(fc.tuple(wrong, text), { freq: 5 }))
    .map(([pairs, other]) => Object.fromEntries([...pairs, ...(other ? [other] : [])]));
}

interface Bytes {
  bytes: Buffer | null;
  foreign: boolean;
}

function bodyOf(document: ApiDocument, operation: DescribedOperation, named: Named): fc.Arbitrary<Bytes> {
  const content = operation.requestBody?.content ?? {};
  const schema: Schema | undefined = content['application/json']?.schema;
  if (!schema) {
    const nothing = fc.constant<Bytes>({ bytes: null, foreign: false });
    const some = hostileBytes.map((bytes) => ({ bytes, foreign: false }));
    return fc.oneof({ weight: 4, arbitrary: nothing }, { weight: 1, arbitrary: some });
  }
  const meant = plausibleBody(document, schema, named.own, named.examples[operation.operationId ?? '']);
  const changed = fc
    .tuple(
      fc.subarray(meant.optional, { minLength: 0 }),
      fc.array(fc.tuple(fc.nat(), fc.nat(), hostileJson, fc.boolean()), { maxLength: 2 }),
    )
    .map(([kept, changes]) => changedBody(meant, kept, changes, named));
  const whole = fc.oneof(
    hostileBytes,
    hostileJson.map((value) => Buffer.from(jsonText(value))),
  );
  return fc.oneof(
    { weight: 12, arbitrary: changed },
    { weight: 1, arbitrary: whole.map((bytes) => ({ bytes, foreign: false })) },
  );
}

type Change = [place: number, id: number, value: unknown, foreign: boolean];

function changedBody(meant: PlausibleBody, kept: string[], changes: Change[], { own, foreign }: Named): Bytes {
  let { value, places } = meant.with(kept);
  let took = false;
  for (const [place, id, hostile, wantsForeign] of changes) {
    const at = places[place % places.length] ?? [];
    const field = at.findLast((part) => typeof part === 'string' && !/^\d+$/.test(part)) ?? '';
    const theirs = idsFor(foreign, field).filter((one) => !idsFor(own, field).includes(one));
    const theirId = wantsForeign && namesId(field) ? theirs[id % theirs.length] : undefined;
    const isNumber = theirId !== undefined && /^\d+$/.test(theirId);
    const deep = at.at(-1) === field;
    if (theirId !== undefined && deep && field.endsWith('s')) value = replaced(value, at, [theirId]);
    else if (theirId !== undefined) value = replaced(value, at, isNumber ? Number(theirId) : theirId);
    else value = replaced(value, at, hostile);
    took ||= theirId !== undefined;
  }
  // A second change may undo the first; then no foreign id is left.
  const bytes = Buffer.from(jsonText(value));
  return { bytes, foreign: took && changes.length === 1 };
}
