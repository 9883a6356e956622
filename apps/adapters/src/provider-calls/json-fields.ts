import { isJsonObject, type JsonObject } from '#libs/adapter-sdk';

/** The value as an object; an empty one if it is none, so that a chain of look-ups never fails. */
export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The objects of a list; an empty list if it is none. */
export function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Non-empty text, or a number as text: ids come as either. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
