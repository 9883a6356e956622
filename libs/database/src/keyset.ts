import type { Order } from '#libs/contracts';

/**
 * The SQL of a list that is paged by ids, which contain the time.
 * @param id its column
 * @param cursor the parameter with the last id of the previous page, or null: `$3`
 * @returns `after`, the condition for what comes after that id; `by`, the order
 */
export function keyset(id: string, cursor: string, order: Order): { after: string; by: string } {
  const [than, way] = order === 'asc' ? ['>', 'ASC'] : ['<', 'DESC'];
  return { after: `(${cursor}::text IS NULL OR ${id} ${than} ${cursor})`, by: `${id} ${way}` };
}
