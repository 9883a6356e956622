import type { ToolGrade } from '#libs/contracts';

/**
 * Splits the calls of one step into those that go at once: neighbours that only read, at most `parallel`. A call that
 * changes something goes alone and in its place, since the model may have meant the order.
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
