import type { ToolImage } from '#libs/contracts';
import type { CallToolResult } from '@modelcontextprotocol/client';

/** What models take, by its first bytes: what a server calls it does not count. */
const formats: readonly [type: string, starts: (bytes: Buffer) => boolean][] = [
  ['image/png', (bytes) => bytes.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))],
  ['image/jpeg', (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))],
  ['image/gif', (bytes) => ['GIF87a', 'GIF89a'].includes(bytes.toString('latin1', 0, 6))],
  ['image/webp', (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'],
];

/**
 * The images of a result, in order, as long as they fit into `maxBytes` together. One that does not fit, or that no
 * model takes, is left out: the text names it.
 */
export function imagesOf({ content }: CallToolResult, maxBytes: number): ToolImage[] {
  let left = maxBytes;
  return content.flatMap((block) => {
    const data = base64In(block);
    // Its length says enough: what is too large is not decoded.
    if (data === null || data.length > Math.ceil(left / 3) * 4 + 4) return [];
    const bytes = Buffer.from(data, 'base64');
    const type = formats.find(([, starts]) => starts(bytes))?.[0];
    if (type === undefined || bytes.length > left) return [];
    left -= bytes.length;
    return [{ media_type: type, data: bytes.toString('base64') }];
  });
}

function base64In(block: CallToolResult['content'][number]): string | null {
  if (block.type === 'image') return block.data;
  return block.type === 'resource' && 'blob' in block.resource ? block.resource.blob : null;
}
