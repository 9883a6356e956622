import type { ProjectScope } from '#libs/contracts';
import { Problem } from '#libs/service-kit';
import type { Column } from './store-sql.js';

/** @throws Problem 422 `after_unknown` */
export function valuesIn(name: string, after: string, keys: Column[]): string[] {
  let given: unknown;
  try {
    given = JSON.parse(after);
  } catch {
    throw unknownAfter(name);
  }
  const values = Array.isArray(given) ? given.filter((value) => typeof value === 'string') : [];
  if (!Array.isArray(given) || given.length !== keys.length || values.length !== keys.length) throw unknownAfter(name);
  return values;
}

/** What a row says of itself. What it says by its parent is looked up once it is stored. */
export function refuseForeign(scope: ProjectScope, name: string, columns: string[], rows: (string | null)[][]): void {
  const own: Record<string, string> = { organization_id: scope.organizationId, project_id: scope.projectId };
  for (const [column, value] of Object.entries(own)) {
    const at = columns.indexOf(column);
    if (at >= 0 && rows.some((row) => row[at] !== value)) throw foreignRow(name);
  }
}

export const foreignRow = (name: string): Problem =>
  new Problem(422, 'foreign_row', `A row of ${name} does not belong to the project: nothing of this page was stored.`);

export const unknownAfter = (name: string): Problem =>
  new Problem(
    422,
    'after_unknown',
    `No page of ${name} ends there: give \`next\` of the page before as \`after\`, \`last\` of the table as \`upto\`, or null.`,
  );
