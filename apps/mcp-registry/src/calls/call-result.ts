import { isShallow } from '#libs/service-kit';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { canonicalJson } from '../tools/tool-definition.js';
import { named, valueWithoutBinary, withoutBinary } from './named-binary.js';

/** Characters from which a text that is there twice is worth a word instead. */
const longText = 200;
/** A deeper value would overflow the stack of code that walks it. */
const maxDepth = 100;
const wordless = '[the tool reports an error without a word]';

export interface ReadResult {
  content: string;
  bytes: number;
  truncated: boolean;
  structured?: Record<string, unknown>;
}

/**
 * Renders a result as text for a model, at most `maxBytes` long. Content that is not text is replaced by its type and
 * size: a model that cannot see an image gains nothing from its base64. Structured content that the text repeats is
 * left out, so that it goes to the model once; so is what is nested too deep.
 */
export function readResult(result: CallToolResult, maxBytes: number): ReadResult {
  const blocks = result.content.map((block) => withoutBinary(blockText(block)));
  const isShallowEnough = isShallow(result.structuredContent, maxDepth);
  const joined = blocks.join('\n');
  const text = result.isError === true && joined === '' && !result.structuredContent ? wordless : joined;
  const bytes = Buffer.byteLength(text);
  const truncated = bytes > maxBytes;
  const content = truncated ? cut(text, maxBytes) : text;
  if (!isShallowEnough) return { content, bytes, truncated: true };
  const whole = valueWithoutBinary(result.structuredContent);
  if (!isObject(whole) || isRepeated(whole, blocks)) return { content, bytes, truncated };
  const structured = withoutTexts(whole, new Set([text, ...blocks].map((one) => one.trim()))) as typeof whole;
  const fits = Buffer.byteLength(JSON.stringify(structured)) <= maxBytes;
  return { content, bytes, truncated: truncated || !fits, ...(fits ? { structured } : {}) };
}

/**
 * Whether the text says all of the structured content: as its JSON, or where it has one member (`{result: …}`), as that
 * text or its JSON, or as one block for each element.
 */
function isRepeated(structured: Record<string, unknown>, blocks: string[]): boolean {
  const forms = [blocks.join('\n'), ...blocks].map((text) => readable(text));
  const each = blocks.map((text) => readable(text));
  const values = Object.values(structured);
  const wanted = [structured, ...(values.length === 1 ? values : [])];
  return wanted.some((value) => {
    const form = formOf(value);
    if (forms.some((one) => one === form)) return true;
    return Array.isArray(value) && value.length > 0 && canonicalJson(value.map(formOf)) === canonicalJson(each);
  });
}

/** Structured content in which the long texts that the model has anyway are only named. */
function withoutTexts(value: unknown, texts: ReadonlySet<string>): unknown {
  if (typeof value === 'string') {
    return value.length >= longText && texts.has(value.trim()) ? '[the text above]' : value;
  }
  if (Array.isArray(value)) return value.map((each) => withoutTexts(each, texts));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutTexts(each, texts)]));
}

/** A form that is the same for a text, its JSON, and the value that it is the JSON of. */
function formOf(value: unknown): string {
  return typeof value === 'string' ? readable(value) : canonicalJson(value);
}

function readable(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value.trim() : canonicalJson(value);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return text.trim();
  }
}

function blockText(block: CallToolResult['content'][number]): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return named(`${block.type}, ${block.mimeType}`, block.data.replace(/=+$/, '').length);
    case 'resource':
      return 'text' in block.resource
        ? block.resource.text
        : named(
            [`resource ${block.resource.uri}`, block.resource.mimeType].filter(Boolean).join(', '),
            block.resource.blob.replace(/=+$/, '').length,
          );
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
