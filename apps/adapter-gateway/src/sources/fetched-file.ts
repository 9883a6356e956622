import { isFileEnvelope, parseJson, readFileEnvelope } from '#libs/adapter-sdk';
import type { DocumentAccess } from '#libs/contracts';
import type { EgressResponse } from '#libs/egress';
import { createHash } from 'node:crypto';
import { accessIn } from './access-in.js';
import { SourceError, sourceFailure } from './source-error.js';

const route = '/sources/fetch-file';

export interface FetchedFile {
  bytes: Buffer;
  contentType: string;
  fingerprint: string | null;
  sha256: string;
  /** Null: the adapter does not say who may open it. */
  access: DocumentAccess | null;
}

interface Content {
  bytes: Buffer;
  contentType: unknown;
  fingerprint: unknown;
  access: unknown;
}

/**
 * Reads an answer of `/sources/fetch-file` (spec 4.1): bytes of any type, or base64 in JSON, or an error.
 * `application/json` is the contract's own JSON; a document that is itself JSON is marked by `Content-Disposition`.
 * @throws SourceError what the adapter says, `too_large`, or `contract_violation`
 */
export function fetchedFile(answer: EgressResponse, maxBytes: number): FetchedFile {
  if (answer.truncated) throw tooLarge(maxBytes);
  const file = isEnvelope(answer) ? fromJson(answer.body) : fromBytes(answer);
  if (file.bytes.length > maxBytes) throw tooLarge(maxBytes);
  return {
    bytes: file.bytes,
    contentType: contentTypeOf(file.contentType),
    fingerprint:
      typeof file.fingerprint === 'string' && file.fingerprint !== '' ? file.fingerprint.slice(0, 500) : null,
    sha256: createHash('sha256').update(file.bytes).digest('hex'),
    access: accessIn(file.access, { route, permanent: false }),
  };
}

function isEnvelope({ headers }: EgressResponse): boolean {
  return isFileEnvelope((name) => [headers[name] ?? []].flat()[0]);
}

function fromBytes({ body, headers }: EgressResponse): Content {
  return {
    bytes: body,
    contentType: headers['content-type'],
    fingerprint: decoded(headers['x-fingerprint']),
    access: undefined,
  };
}

function fromJson(body: Buffer): Content {
  const read = readFileEnvelope(parseJson(body.toString('utf8')));
  if ('failure' in read) throw sourceFailure(read.failure, route);
  if ('problem' in read) throw new SourceError('contract_violation', `${route}: ${read.problem}`, false);
  return { bytes: read.bytes, contentType: read.content_type, fingerprint: read.fingerprint, access: read.access };
}

/** It becomes a header value: what cannot be one is taken for an unknown type. */
function contentTypeOf(value: unknown): string {
  return typeof value === 'string' && /^[\x20-\x7e]{1,200}$/.test(value) ? value : 'application/octet-stream';
}

function decoded(value: string | string[] | undefined): string | null {
  if (typeof value !== 'string') return null;
  try {
    return decodeURIComponent(value);
  } catch (error) {
    if (error instanceof URIError) return value;
    throw error;
  }
}

function tooLarge(maxBytes: number): SourceError {
  return new SourceError('too_large', `the document has more than ${maxBytes} bytes`, true);
}
