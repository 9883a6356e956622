import { isJsonObject, parseJson } from '#libs/adapter-sdk';
import type { EgressResponse } from '#libs/egress';
import { createHash } from 'node:crypto';
import { isJson } from '../adapters/adapter-answer.js';
import { SourceError, sourceFailure } from './source-error.js';

const route = '/sources/fetch-file';

export interface FetchedFile {
  bytes: Buffer;
  contentType: string;
  fingerprint: string | null;
  sha256: string;
}

/**
 * Reads an answer of `/sources/fetch-file`: bytes, or base64 in JSON, or an error. A document that is itself JSON is told
 * apart by what only the contract's JSON has.
 * @throws SourceError what the adapter says, `too_large`, or `contract_violation`
 */
export function fetchedFile(answer: EgressResponse, maxBytes: number): FetchedFile {
  if (answer.truncated) throw tooLarge(maxBytes);
  const file = fromJson(answer) ?? {
    bytes: answer.body,
    contentType: answer.headers['content-type'],
    fingerprint: decoded(answer.headers['x-fingerprint']),
  };
  if (file.bytes.length > maxBytes) throw tooLarge(maxBytes);
  return {
    bytes: file.bytes,
    contentType: contentTypeOf(file.contentType),
    fingerprint:
      typeof file.fingerprint === 'string' && file.fingerprint !== '' ? file.fingerprint.slice(0, 500) : null,
    sha256: createHash('sha256').update(file.bytes).digest('hex'),
  };
}

function fromJson(answer: EgressResponse): { bytes: Buffer; contentType: unknown; fingerprint: unknown } | null {
  if (!isJson(answer) || answer.headers['x-fingerprint'] !== undefined) return null;
  const value = parseJson(answer.body.toString('utf8'));
  if (!isJsonObject(value)) return null;
  if (value['ok'] === false && typeof value['error'] === 'string') throw sourceFailure(value, route);
  const { content_base64: content, content_type: contentType, size, fingerprint } = value;
  if (typeof content !== 'string') return null;
  const bytes = Buffer.from(content, 'base64');
  if (typeof size === 'number' && size !== bytes.length) {
    throw new SourceError('contract_violation', `${route}: size is not that of the content`, false);
  }
  return { bytes, contentType, fingerprint };
}

/** Kept as a header value: what could not be one is of no known type. */
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
  return new SourceError('too_large', `the document is over ${maxBytes} bytes`, true);
}
