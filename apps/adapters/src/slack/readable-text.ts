/** Names by the id that Slack writes in their place. */
export type Names = ReadonlyMap<string, string>;

const TOKEN = /<([^<>\n]{1,3000})>|&(amp|lt|gt);/g;
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>' };

/**
 * Slack's own writing as a reader sees it: names for ids, addresses without brackets, and the three escaped characters.
 * What has no known name stays as it is.
 * Source: https://docs.slack.dev/messaging/formatting-message-text#retrieving-messages
 */
export function readableText(text: string, names: Names): string {
  return text.replaceAll(TOKEN, (whole: string, token: string | undefined, entity: string | undefined) =>
    token === undefined ? (ENTITIES[entity ?? ''] ?? whole) : (shown(token, names) ?? whole),
  );
}

/** The ids of people and channels in a text. */
export function idsIn(text: string): string[] {
  const found = [...text.matchAll(/<[@#]([A-Z0-9]{2,20})(?:\|[^<>\n]*)?>/g)].map(([, id = '']) => id);
  return [...new Set(found)];
}

function shown(token: string, names: Names): string | undefined {
  const bar = token.indexOf('|');
  const target = bar < 0 ? token : token.slice(0, bar);
  const label = bar < 0 ? '' : decoded(token.slice(bar + 1));
  const [mark, id] = [target.slice(0, 1), target.slice(1)];
  if (mark === '@' || mark === '#') {
    const name = names.get(id) ?? label;
    return name === '' ? undefined : `${mark}${name}`;
  }
  if (mark === '!') return special(id, label);
  const address = decoded(target).replace(/^(?:mailto|tel):/, '');
  return label === '' || label === address ? address : `${label} (${address})`;
}

function special(id: string, label: string): string | undefined {
  if (/^(?:here|channel|everyone)$/.test(id)) return `@${id}`;
  return label === '' ? undefined : label;
}

function decoded(text: string): string {
  return text.replaceAll(/&(amp|lt|gt);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}
