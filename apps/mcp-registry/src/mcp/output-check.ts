import { compileSchema } from '#libs/tool-schema';
import type { JsonSchemaType, jsonSchemaValidator } from '@modelcontextprotocol/client';

/** How the client checks a result by its tool's output schema: with patterns that are bounded in time. */
export const outputCheck: jsonSchemaValidator = {
  getValidator: <T>(schema: JsonSchemaType) => {
    const check = compileSchema({ ...schema });
    return (input: unknown) =>
      check(input)
        ? { valid: true as const, data: input as T, errorMessage: undefined }
        : { valid: false as const, data: undefined, errorMessage: whatIsWrong(check.errors?.[0]) };
  },
};

const whatIsWrong = (error: { instancePath: string; message?: string } | undefined): string =>
  `${error?.instancePath || 'it'} ${error?.message ?? 'is not valid'}`;
