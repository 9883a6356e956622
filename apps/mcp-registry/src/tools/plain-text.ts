const maxLength = 4_000;
// Controls, zero-width, direction and tag characters: who approves a text does not see them, and a model reads them.
const unseen = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

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
