import { isJsonObject, type JsonObject } from '#libs/adapter-sdk';
import { type FieldError, Problem } from '#libs/service-kit';

/** What a page sends. */
export interface ChatMessage {
  /** The page's own: the same in every attempt. */
  id: string;
  text: string;
  /** Ids of files that the visitor has sent before. */
  files: string[];
  /** Of a message that offered it, instead of a text. */
  choice: { message: string; action: string } | null;
}

/** A file that a page sends. */
export interface GivenFile {
  /** The page's own: the same in every attempt. */
  id: string;
  name: string;
  content_type: string;
  content_base64: string;
}

/** Ids of pages: UUIDs and the like. */
const idPattern = /^[A-Za-z0-9_-]{8,64}$/;

/**
 * Bodies are JSON that is sent as text: with that type a browser asks no question before, and no route has to answer one.
 * @throws Problem 422 `invalid_request`
 */
export function readBody(body: unknown): JsonObject {
  let given: unknown = body;
  if (typeof body === 'string') {
    try {
      given = JSON.parse(body);
    } catch {
      given = null;
    }
  }
  if (isJsonObject(given)) return given;
  throw invalid([{ field: 'body', message: 'must be a JSON object' }]);
}

/** @throws Problem 422 `invalid_request` */
export function readMessage({ id, text, choice, files = [] }: JsonObject, maxChars: number): ChatMessage {
  const errors: FieldError[] = [];
  if (typeof id !== 'string' || !idPattern.test(id)) {
    errors.push({ field: 'id', message: 'must be 8 to 64 letters, digits, _ and -' });
  }
  const { message, action } = isJsonObject(choice) ? choice : {};
  const isChoice = typeof message === 'string' && typeof action === 'string';
  if (choice !== undefined && !isChoice) {
    errors.push({ field: 'choice', message: 'must have message and action, both texts' });
  }
  const names = Array.isArray(files) ? files.filter((one): one is string => typeof one === 'string') : [];
  if (!Array.isArray(files) || names.length !== files.length) {
    errors.push({ field: 'files', message: 'must be a list of ids' });
  }
  const isEmpty = names.length === 0 && (typeof text !== 'string' || text.trim() === '');
  if (choice === undefined && (isEmpty || (typeof text === 'string' && text.length > maxChars))) {
    errors.push({ field: 'text', message: `must be a text of 1 to ${maxChars} characters` });
  }
  if (errors.length > 0) throw invalid(errors);
  return {
    id: String(id),
    text: typeof text === 'string' ? text : '',
    files: isChoice ? [] : names,
    choice: isChoice ? { message, action } : null,
  };
}

/** @throws Problem 422 `invalid_request` */
export function readFile({ id, name, content_type: type, content_base64: content }: JsonObject): GivenFile {
  if (typeof id !== 'string' || !idPattern.test(id)) {
    throw invalid([{ field: 'id', message: 'must be 8 to 64 letters, digits, _ and -' }]);
  }
  if (typeof content !== 'string') throw invalid([{ field: 'content_base64', message: 'must be base64' }]);
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return { id, name: text(name), content_type: text(type), content_base64: content };
}

/** @throws Problem 422 `invalid_request` */
export function readFileId({ id }: JsonObject): string {
  if (typeof id === 'string' && id.length <= 200) return id;
  throw invalid([{ field: 'id', message: 'must be the id of a file' }]);
}

/** @throws Problem 422 `invalid_request` */
export function readAfter({ after = 0 }: JsonObject): number {
  if (typeof after === 'number' && Number.isSafeInteger(after) && after >= 0 && after < 2 ** 31) return after;
  throw invalid([{ field: 'after', message: 'must be the seq of a message, or 0' }]);
}

const invalid = (errors: FieldError[]): Problem =>
  new Problem(422, 'invalid_request', `The request has wrong fields: ${errors[0]?.field}.`, errors);
