import { parse } from 'discord-markdown-parser';
import { isJsonObject, type JsonObject } from '#libs/adapter-sdk';
import { emptyReading, type Reading } from './reading.js';

/** Discord's marks, by a parser that shares its origin with Discord's own (simple-markdown). */
export function readDiscord(text: string): Reading {
  const reading = emptyReading();
  reading.text = read(parse(text, 'extended'), reading);
  return reading;
}

function read(content: unknown, reading: Reading): string {
  if (Array.isArray(content)) return content.map((node) => read(node, reading)).join('');
  if (typeof content === 'string') return content;
  return isJsonObject(content) ? readNode(content, reading) : '';
}

function readNode(node: JsonObject, reading: Reading): string {
  const { type, content, target } = node;
  switch (type) {
    case 'text':
      reading.notifying.push(String(content));
      return String(content);
    case 'br':
    case 'newline':
      return '\n';
    case 'inlineCode':
    case 'codeBlock':
      reading.code.push(String(content));
      return type === 'codeBlock' ? `\n${String(content)}\n` : String(content);
    case 'strong':
      return kept(reading.bold, read(content, reading));
    case 'strikethrough':
      return kept(reading.struck, read(content, reading));
    case 'url':
    case 'link':
    case 'autolink':
      reading.links.push(String(target));
      return read(content, reading);
    case 'everyone':
    case 'here':
      reading.notifying.push(`@${type}`);
      return `@${type}`;
    case 'twemoji':
      return String(node.name);
    case 'em':
    case 'underline':
    case 'heading':
    case 'blockQuote':
      return `${read(content, reading)}${type === 'heading' ? '\n' : ''}`;
    default:
      return `[${String(type)}]`;
  }
}

function kept(list: string[], text: string): string {
  list.push(text);
  return text;
}
