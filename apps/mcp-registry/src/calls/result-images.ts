import { imageTypeOf, type ToolImage } from '#libs/contracts';
import type { CallToolResult } from '@modelcontextprotocol/client';

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
    const type = imageTypeOf(bytes);
    if (type === null || bytes.length > left) return [];
    left -= bytes.length;
    return [{ media_type: type, data: bytes.toString('base64') }];
  });
}

function base64In(block: CallToolResult['content'][number]): string | null {
  if (block.type === 'image') return block.data;
  return block.type === 'resource' && 'blob' in block.resource ? block.resource.blob : null;
}
