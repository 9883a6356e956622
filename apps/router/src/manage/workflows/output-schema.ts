import { Problem } from '#libs/service-kit';
import { compileSchema } from '#libs/tool-schema';

/** It goes to the model with every call. */
const maxChars = 20_000;

/** @throws Problem 422 `invalid_fields`, saying what a workflow's runs could not be checked by, or models not be asked for */
export function requireOutputSchema(schema: Record<string, unknown> | null | undefined): void {
  const message = schema ? problemOf(schema) : null;
  if (message === null) return;
  throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', [{ field: 'output_schema', message }]);
}

function problemOf(schema: Record<string, unknown>): string | null {
  const chars = JSON.stringify(schema).length;
  if (chars > maxChars) return `It has ${chars} characters as JSON; at most ${maxChars} are allowed.`;
  if (schema['type'] !== 'object') return 'Its type must be "object": put a list or a single value into a property.';
  try {
    compileSchema(schema);
    return null;
  } catch (error) {
    return `It is no JSON Schema that can be checked: ${error instanceof Error ? error.message.slice(0, 500) : 'unreadable'}.`;
  }
}
