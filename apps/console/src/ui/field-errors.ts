import { ApiProblem } from '../api/problem.js';

/** The API's error of a field, to show at the field: `<TextInput error={fieldError(save.error, 'name')} />`. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiProblem)) return undefined;
  return error.errors.find((wrong) => wrong.field === field)?.message;
}

/** The error without what these fields already show; null when nothing is left. */
export function errorBeside(error: unknown, fields: readonly string[]): unknown {
  if (!(error instanceof ApiProblem) || error.errors.length === 0) return error;
  return error.errors.every(({ field }) => fields.includes(field)) ? null : error;
}
