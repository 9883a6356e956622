import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { linearPattern } from './linear-pattern.js';

const options = {
  strict: false,
  validateFormats: false,
  logger: false,
  addUsedSchema: false,
  // The name is for code that Ajv writes to a file, which nobody asks it for.
  code: { regExp: Object.assign(linearPattern, { code: 'linearPattern' }) },
} as const;

/**
 * A check by the JSON Schema of a tool's arguments or results: draft 2020-12, or what `$schema` says. Nothing is fetched.
 * Patterns are bounded in time.
 * @throws Error for a schema that is none, or refers to another document
 */
export function compileSchema(schema: Record<string, unknown>): ValidateFunction {
  const { $schema: dialect, $id: _id, ...rest } = schema;
  const older = typeof dialect === 'string' && /draft-0[4-7]/.test(dialect);
  return (older ? new Ajv(options) : new Ajv2020(options)).compile(rest);
}
