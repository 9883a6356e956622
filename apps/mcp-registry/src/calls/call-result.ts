import type { CallToolResult } from '@modelcontextprotocol/client';

export interface ReadResult {
  content: string;
  bytes: number;
  truncated: boolean;
  structured?: Record<string, unknown>;
}

/**
 * Renders a result as text for a model, at most `maxBytes` long. Content that is not text is replaced by its type and
 * size: a model that cannot see an image gains nothing from its base64.
 */
export function readResult(result: CallToolResult, maxBytes: number): ReadResult {
  const text = result.content.map(blockText).join('\n');
  const bytes = Buffer.byteLength(text);
  const truncated = bytes > maxBytes;
  const content = truncated ? cut(text, maxBytes) : text;
  const { structuredContent: structured } = result;
  const fits = isObject(structured) && Buffer.byteLength(JSON.stringify(structured)) <= maxBytes;
  return { content, bytes, truncated: truncated || (isObject(structured) && !fits), ...(fits ? { structured } : {}) };
}

function blockText(block: CallToolResult['content'][number]): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type}, ${block.mimeType}, ${Math.floor((block.data.length * 3) / 4)} bytes]`;
    case 'resource':
      return 'text' in block.resource
        ? block.resource.text
        : `[resource ${block.resource.uri}, ${Math.floor((block.resource.blob.length * 3) / 4)} bytes]`;
    case 'resource_link':
      return `[resource ${block.uri}: ${block.name}]`;
  }
}

/** The longest prefix that fits and does not split a character. */
function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text).subarray(0, maxBytes);
  return new TextDecoder('utf-8').decode(bytes, { stream: true });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
