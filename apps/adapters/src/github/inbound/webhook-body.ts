import { isJsonObject, parseJson, type JsonObject } from '#libs/adapter-sdk';

/** The payload of either content type that GitHub offers: JSON, or a form whose field `payload` is JSON. */
export function readGithubBody(text: string): JsonObject | undefined {
  const document = parseJson(text);
  if (isJsonObject(document)) return document;
  if (document !== undefined) return undefined;
  const payload = parseJson(new URLSearchParams(text).get('payload') ?? '');
  return isJsonObject(payload) ? payload : undefined;
}
