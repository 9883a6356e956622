import { Busboy } from '@fastify/busboy';
import { headerValue, type HeaderMap } from '../header-lookup.js';

export interface FormFile {
  field: string;
  name: string;
  contentType: string;
  bytes: Buffer;
}

export interface Form {
  /** The first value of a field as UTF-8, undefined when it is absent. */
  get(name: string): string | undefined;
  /** Every field in order of arrival, as bytes: mail providers send each field in its own charset. */
  fields: { name: string; bytes: Buffer }[];
  files: FormFile[];
}

export interface FormLimits {
  /** Fields and files together. Default 1000. */
  maxParts?: number;
  /** One field or file. Default 30 MiB. */
  maxPartBytes?: number;
}

const MAX_PARTS = 1000;
const MAX_PART_BYTES = 30 * 1024 * 1024;

/** The body is not a form, ends early, or exceeds a limit. Names what, never a value. */
export class FormError extends Error {
  override readonly name = 'FormError';
}

/**
 * Reads a webhook's form: `multipart/form-data` or `application/x-www-form-urlencoded`, according to its
 * `Content-Type`.
 * @throws FormError; nothing too large is silently truncated
 */
export async function parseForm(
  request: { headers: HeaderMap; body: Buffer },
  { maxParts = MAX_PARTS, maxPartBytes = MAX_PART_BYTES }: FormLimits = {},
): Promise<Form> {
  const contentType = headerValue(request.headers, 'content-type') ?? '';
  const limits = { maxParts, maxPartBytes };
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return readUrlEncoded(request.body, limits);
  if (/^multipart\/form-data\b/i.test(contentType)) return readMultipart(contentType, request.body, limits);
  throw new FormError('the content type is neither multipart/form-data nor application/x-www-form-urlencoded');
}

function readUrlEncoded(body: Buffer, limits: Required<FormLimits>): Form {
  const fields = [...new URLSearchParams(body.toString('utf8'))].map(([name, value]) => ({
    name,
    bytes: Buffer.from(value, 'utf8'),
  }));
  if (fields.length > limits.maxParts) throw new FormError(`the form has more than ${limits.maxParts} parts`);
  if (fields.some(({ bytes }) => bytes.length > limits.maxPartBytes)) throw tooLarge(limits);
  return form(fields, []);
}

function readMultipart(contentType: string, body: Buffer, limits: Required<FormLimits>): Promise<Form> {
  return new Promise((resolve, reject) => {
    const fields: Form['fields'] = [];
    const files: FormFile[] = [];
    const broken = (): void => reject(new FormError('the multipart body is malformed or breaks off'));
    let parser: ReturnType<typeof Busboy>;
    try {
      parser = new Busboy({
        headers: { 'content-type': contentType },
        limits: { parts: limits.maxParts, fileSize: limits.maxPartBytes },
        // The parser decodes what it treats as a field; treated as a file, the bytes stay unchanged.
        isPartAFile: () => true,
      });
    } catch (error) {
      // A content type without boundary.
      reject(new FormError(error instanceof Error ? error.message : String(error)));
      return;
    }
    parser.on('file', (name, stream, fileName: string | undefined, _encoding, type) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('limit', () => reject(tooLarge(limits)));
      stream.on('error', broken);
      stream.on('end', () => {
        const bytes = Buffer.concat(chunks);
        if (fileName === undefined) fields.push({ name, bytes });
        else files.push({ field: name, name: fileName, contentType: type, bytes });
      });
    });
    parser.on('partsLimit', () => reject(new FormError(`the form has more than ${limits.maxParts} parts`)));
    parser.on('error', broken);
    parser.on('finish', () => resolve(form(fields, files)));
    parser.end(body);
  });
}

function form(fields: Form['fields'], files: FormFile[]): Form {
  return { fields, files, get: (name) => fields.find((field) => field.name === name)?.bytes.toString('utf8') };
}

function tooLarge(limits: Required<FormLimits>): FormError {
  return new FormError(`a part of the form has more than ${limits.maxPartBytes} bytes`);
}
