import type { Page } from './project-query.js';

const pageSize = 200;

/** Every row of a list that is short enough to be chosen from: `allPages((query) => answer(api.GET(…)))`. */
export async function allPages<Row>(
  ask: (query: { limit: number; cursor: string | undefined }) => Promise<Page<Row>>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await ask({ limit: pageSize, cursor });
    rows.push(...page.data);
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  return rows;
}
