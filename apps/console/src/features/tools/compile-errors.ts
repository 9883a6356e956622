import { ApiProblem } from '../../api/problem.js';

export interface CompileError {
  line: number;
  message: string;
}

/** What the compiler says, at its lines: the API names them `source:<line>:<column>`. */
export function compileErrors(error: unknown): CompileError[] {
  if (!(error instanceof ApiProblem)) return [];
  return error.errors.flatMap(({ field, message }) => {
    const [, line] = /^source:(\d+)/.exec(field) ?? [];
    return line ? [{ line: Number(line), message }] : [];
  });
}
