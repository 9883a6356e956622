import { idDigits, type IdKind } from '#libs/contracts';

/** For `@ApiProperty`: a time as in every answer, RFC 3339 in UTC. The view has a `Date` or its text. */
export const time = { type: String, format: 'date-time' } as const;

/** For `@ApiProperty`: an id, whose prefix says what it refers to. */
export function idOf(...prefixes: [IdKind, ...IdKind[]]): { type: typeof String; pattern: string } {
  const prefix = prefixes.length === 1 ? prefixes[0] : `(?:${prefixes.join('|')})`;
  return { type: String, pattern: `^${prefix}_${idDigits(...prefixes)}$` };
}

/** For `@ApiProperty`: a JSON object whose fields are defined elsewhere. */
export const anyObject = { type: 'object', additionalProperties: true } as const;

/** For `@ApiProperty`: any JSON value, including null. */
export const anyValue = {
  anyOf: [
    { type: 'object', additionalProperties: true },
    { type: 'array', items: {} },
    ...['string', 'number', 'boolean', 'null'].map((type) => ({ type })),
  ],
};
