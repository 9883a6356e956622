const maxLength = 4_000;
// Control, zero-width, direction and tag characters: the person who approves a text does not see them, but a model
// reads them.
const unseen = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A server's text as a model gets it: only what a person can see, and no longer than a description needs. */
export function plainText(text: string): string {
  const seen = text.replace(unseen, '');
  return seen.length > maxLength ? `${seen.slice(0, maxLength)}…` : seen;
}

/**
 * A JSON Schema whose descriptive texts are plain. Names and allowed values stay, because calls are validated by them.
 */
export function plainSchema<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    (key === 'description' || key === 'title' || key === '$comment') && typeof value === 'string'
      ? plainText(value)
      : value,
  ) as T;
}
