import type { IdKind } from '#libs/contracts';

/** Of `@ApiProperty`: a time as every answer shows it, RFC 3339 in UTC. The view has a `Date`, or its text. */
export const time = { type: String, format: 'date-time' } as const;

/** Of `@ApiProperty`: an id, which says by its prefix what it is of. */
export function idOf(...prefixes: [IdKind, ...IdKind[]]): { type: typeof String; pattern: string } {
  const prefix = prefixes.length === 1 ? prefixes[0] : `(?:${prefixes.join('|')})`;
  return { type: String, pattern: `^${prefix}_[0-9a-f]{32}$` };
}

/** Of `@ApiProperty`: a JSON object whose fields somebody else decides. */
export const anyObject = { type: 'object', additionalProperties: true } as const;

/** Of `@ApiProperty`: any JSON value, null as well. */
export const anyValue = {
  anyOf: [
    { type: 'object', additionalProperties: true },
    { type: 'array', items: {} },
    ...['string', 'number', 'boolean', 'null'].map((type) => ({ type })),
  ],
};
