/** An open Markdown code fence: its marker (three or more backticks or tildes) and what follows it, as `js`. */
export interface Fence {
  marker: string;
  info: string;
}

export function openingLine(fence: Fence): string {
  return `${fence.marker}${fence.info}\n`;
}

export function closingLine(fence: Fence): string {
  return `\n${fence.marker}`;
}

/**
 * The fence that is open at the end of a chunk which started inside `before`. A fence whose two extra lines would take
 * more than half of a part loses its info, and then is not carried on at all: a part must have room for text.
 */
export function fenceAfter(chunk: string, before: Fence | undefined, maxLength: number): Fence | undefined {
  let open = before;
  for (const line of chunk.split('\n')) {
    const match = /^ {0,3}(`{3,}|~{3,})([^\n]*)$/.exec(line);
    if (!match) continue;
    const marker = match[1] ?? '';
    const info = (match[2] ?? '').trim();
    if (!open) {
      // A line as ```code``` is inline code.
      if (!(marker.startsWith('`') && info.includes('`'))) open = { marker, info };
    } else if (info === '' && marker[0] === open.marker[0] && marker.length >= open.marker.length) {
      open = undefined;
    }
  }
  if (!open) return undefined;
  const room = Math.floor(maxLength / 2);
  const bare = { marker: open.marker, info: '' };
  return [open, bare].find((fence) => openingLine(fence).length + closingLine(fence).length <= room);
}
