import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { emptyReading, type Reading } from './reading.js';

type Node = DefaultTreeAdapterTypes.ChildNode;

const BLOCKS = new Set(
  'p div h1 h2 h3 h4 h5 h6 ul ol li blockquote pre table thead tbody tr hr details summary dl dt dd'.split(' '),
);
const UNSEEN = new Set(['script', 'style', 'title', 'template']);
const LISTS: Record<string, 'bold' | 'struck'> = {
  b: 'bold',
  strong: 'bold',
  del: 'struck',
  s: 'struck',
  strike: 'struck',
};

/** A page as a browser shows it, by the parser that browsers specify. */
export function readHtml(html: string): Reading {
  const reading = emptyReading();
  for (const node of parseFragment(html).childNodes) reading.text += read(node, reading, true);
  return reading;
}

function read(node: Node, reading: Reading, notifies: boolean): string {
  if (node.nodeName === '#text' && 'value' in node) {
    if (notifies) reading.notifying.push(node.value);
    return node.value;
  }
  if (!('tagName' in node) || UNSEEN.has(node.tagName)) return '';
  const name = node.tagName;
  if (name === 'br') return '\n';
  if (name === 'img') return node.attrs.find((one) => one.name === 'alt')?.value ?? '';
  const isCode = name === 'code' || name === 'pre' || name === 'kbd';
  const isInCode = node.parentNode?.nodeName === 'pre';
  const inner = node.childNodes.map((child) => read(child, reading, notifies && !isCode && name !== 'a')).join('');
  if (isCode && !isInCode) reading.code.push(inner.replace(/\n$/, ''));
  if (name === 'a') reading.links.push(node.attrs.find((one) => one.name === 'href')?.value ?? '');
  const list = LISTS[name];
  if (list) reading[list].push(inner);
  if (name === 'td' || name === 'th') return ` ${inner} `;
  return BLOCKS.has(name) ? `\n${inner}\n` : inner;
}
