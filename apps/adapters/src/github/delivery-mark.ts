import { createHash } from 'node:crypto';

const MARK = '<!-- gatehouse:';

/** A mark at the end of a comment, invisible to readers: the delivery that sent it, and its part of how many. */
export function deliveryMark(key: string, index: number, count: number): string {
  return `${MARK}${createHash('sha256').update(key).digest('hex').slice(0, 32)}:${index + 1}/${count} -->`;
}

/** Whether a comment has the mark of a delivery's last part: then the delivery is complete. */
export function isLastOf(body: string, key: string): boolean {
  const start = deliveryMark(key, 0, 1).slice(0, -'1/1 -->'.length);
  const at = body.lastIndexOf(start);
  const [, part, count] = /^(\d{1,6})\/(\d{1,6}) -->/.exec(at < 0 ? '' : body.slice(at + start.length)) ?? [];
  return part !== undefined && part === count;
}

/** Whether a comment was sent by a `/deliver`, whoever its token belongs to. */
export function carriesMark(body: string): boolean {
  return body.includes(MARK);
}
