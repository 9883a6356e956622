import type { ToolGrade } from '#libs/contracts';

/**
 * Splits the calls of one step into groups that run in parallel: adjacent reads, at most `parallel` of them. A call
 * that changes something runs alone and in its place, since the model may depend on the order.
 */
export function inChunks<T extends { grade: ToolGrade }>(calls: T[], parallel: number): T[][] {
  const chunks: T[][] = [];
  for (const call of calls) {
    const last = chunks.at(-1);
    const joins = call.grade === 'read' && last?.[0]?.grade === 'read' && last.length < parallel;
    if (joins) last.push(call);
    else chunks.push([call]);
  }
  return chunks;
}
