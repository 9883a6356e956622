import { type Node, NodeType, parse } from 'slack-message-parser';
import { emptyReading, type Reading } from './reading.js';

/** Slack takes a zero-width space for the end of a word. The parser knows only spaces that ECMAScript calls so. */
const ZERO_WIDTH_SPACE = '\u200b';
const SPACE = '\ufeff';

export function readSlack(mrkdwn: string): Reading {
  const reading = emptyReading();
  reading.text = read(parse(asStored(mrkdwn)), reading, true);
  return reading;
}

function read(node: Node, reading: Reading, notifies: boolean): string {
  switch (node.type) {
    case NodeType.Text:
    case NodeType.Emoji:
      if (notifies) reading.notifying.push(shown(node.source));
      return shown(node.source);
    case NodeType.Code:
    case NodeType.PreText: {
      const code = unescaped(node.text.replaceAll(/^\n|\n$/g, ''));
      reading.code.push(code);
      return node.type === NodeType.Code ? code : `\n${code}\n`;
    }
    case NodeType.URL: {
      reading.links.push(unescaped(node.url));
      return node.label === undefined ? unescaped(node.url) : all(node.label, reading, false);
    }
    case NodeType.Bold:
      return kept(reading.bold, all(node.children, reading, notifies));
    case NodeType.Strike:
      return kept(reading.struck, all(node.children, reading, notifies));
    case NodeType.Command:
    case NodeType.UserLink:
    case NodeType.ChannelLink:
      reading.notifying.push(node.source);
      return node.source;
    default:
      return all(node.children, reading, notifies);
  }
}

function all(nodes: readonly Node[], reading: Reading, notifies: boolean): string {
  return nodes.map((node) => read(node, reading, notifies)).join('');
}

function kept(list: string[], text: string): string {
  list.push(text);
  return text;
}

/** Slack escapes the sign of a quote, too. */
function asStored(mrkdwn: string): string {
  return mrkdwn.replaceAll(ZERO_WIDTH_SPACE, SPACE).replaceAll(/^>/gm, '&gt;');
}

function shown(text: string): string {
  return unescaped(text).replaceAll(SPACE, ZERO_WIDTH_SPACE);
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
