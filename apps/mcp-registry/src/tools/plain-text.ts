const maxLength = 4_000;
// Controls, zero-width and joining marks, direction marks, language tags and variation selectors: a person who approves a
// text does not see them, a model reads them.
const unseen =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** A text of a server as a model is shown it: what a person sees, and no longer than a description needs. */
export function plainText(text: string): string {
  const seen = text.replace(unseen, '');
  return seen.length > maxLength ? `${seen.slice(0, maxLength)}…` : seen;
}

/** A JSON Schema whose texts for people are plain. Names and allowed values stay: they are what a call is checked by. */
export function plainSchema<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    (key === 'description' || key === 'title' || key === '$comment') && typeof value === 'string'
      ? plainText(value)
      : value,
  ) as T;
}
