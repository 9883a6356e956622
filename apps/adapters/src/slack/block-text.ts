import type { JsonObject } from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';
import { escapeMrkdwn } from './mrkdwn-dialect.js';

/** Deeper lists and columns are left out. */
const MAX_DEPTH = 8;

/**
 * What a reader sees of blocks, as mrkdwn: for messages that have nothing else.
 * Source: https://docs.slack.dev/reference/block-kit/blocks
 */
export function blockText(blocks: unknown): string {
  return lines(objectsOf(blocks).map((block) => textOfBlock(block)));
}

function textOfBlock(block: JsonObject): string {
  switch (block.type) {
    case 'rich_text':
      return lines(objectsOf(block.elements).map((element) => richText(element, 0)));
    case 'section':
      return lines([objectText(block.text), ...objectsOf(block.fields).map(objectText), labelOf(block.accessory)]);
    case 'context':
      return objectsOf(block.elements).map(objectText).filter(isFilled).join(' ');
    case 'actions':
      return objectsOf(block.elements).map(labelOf).filter(isFilled).join(' ');
    case 'input':
      return objectText(block.label);
    case 'table':
      return tableText(block.rows);
    default:
      return lines([objectText(block.title), objectText(block.text), altOf(block), objectText(block.description)]);
  }
}

/** A text object, a plain text, or a picture among texts. */
function objectText(value: unknown): string {
  if (typeof value === 'string') return value;
  const object = objectOf(value);
  return typeof object.text === 'string' ? object.text : altOf(object);
}

function altOf(object: JsonObject): string {
  return textOf(object.alt_text) ?? '';
}

function labelOf(element: unknown): string {
  const label = objectText(objectOf(element).text);
  return label === '' ? altOf(objectOf(element)) : `[${label}]`;
}

function tableText(rows: unknown): string {
  const cells = (row: unknown): string[] =>
    objectsOf(row).map((cell) => (cell.type === 'rich_text' ? textOfBlock(cell) : objectText(cell)));
  return lines(Array.isArray(rows) ? rows.map((row: unknown) => cells(row).join(' | ')) : []);
}

function richText(element: JsonObject, depth: number): string {
  if (depth > MAX_DEPTH) return '';
  const children = objectsOf(element.elements).map((child) => richText(child, depth + 1));
  switch (element.type) {
    case 'rich_text_list':
      return lines(children.map((child) => `• ${child}`));
    case 'rich_text_quote':
      return children.join('').replaceAll(/^/gm, '> ');
    case 'rich_text_preformatted':
      return `\`\`\`\n${children.join('')}\n\`\`\``;
    case 'user':
      return `<@${textOf(element.user_id) ?? ''}>`;
    case 'channel':
      return `<#${textOf(element.channel_id) ?? ''}>`;
    case 'usergroup':
      return `<!subteam^${textOf(element.usergroup_id) ?? ''}>`;
    case 'broadcast':
      return `<!${textOf(element.range) ?? 'channel'}>`;
    case 'emoji':
      return `:${textOf(element.name) ?? ''}:`;
    case 'link': {
      const [url, text] = [escapeMrkdwn(textOf(element.url) ?? ''), textOf(element.text)];
      return text === undefined ? `<${url}>` : `<${url}|${escapeMrkdwn(text)}>`;
    }
    case 'date':
      return escapeMrkdwn(textOf(element.fallback) ?? '');
    default:
      return typeof element.text === 'string' ? escapeMrkdwn(element.text) : children.join('');
  }
}

function lines(texts: readonly string[]): string {
  return texts.filter(isFilled).join('\n');
}

function isFilled(text: string): boolean {
  return text.trim() !== '';
}
