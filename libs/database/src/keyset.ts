import type { Order } from '#libs/contracts';

/**
 * The SQL of a list that goes on by ids, which tell the time.
 * @param id its column @param cursor the parameter with the last id of the page before, or null: `$3`
 * @returns `after`, a condition: what comes after that id; `by`, what to order by
 */
export function keyset(id: string, cursor: string, order: Order): { after: string; by: string } {
  const [than, way] = order === 'asc' ? ['>', 'ASC'] : ['<', 'DESC'];
  return { after: `(${cursor}::text IS NULL OR ${id} ${than} ${cursor})`, by: `${id} ${way}` };
}
