const ZERO_WIDTH_SPACE = '\u200b';
const NAMES = '(?:here|channel|everyone|all|room|group|team)';
const BROADCAST_NAME = new RegExp(`^${NAMES}\\b`, 'i');
/** An address of the web, which stays whole: an `@` in it calls nobody. */
const ADDRESS = String.raw`\bhttps?:\/\/[\w-]+(?:\.[\w-]+)+(?:[:/?#][\w\-.~%/?=&#+:@!$*;]*)?`;
const BROADCAST = new RegExp(`${ADDRESS}|(?<!\\w)@(?=${NAMES}\\b)`, 'gi');
const ANY_MENTION = new RegExp(`${ADDRESS}|(?<!\\w)@(?=[A-Za-z0-9_])`, 'g');
const SPECIAL = /<!(?:subteam\^([^<>|\n]{1,200})|(here|channel|everyone))(?:\|([^<>\n]{1,200}))?>/gi;

/** Which names are made inert: those of many people, or any, on platforms where a name in a text notifies its owner. */
export type Mentions = 'broadcast' | 'all';

/**
 * The text with mentions that would notify many people made inert. `<!channel>` and the like become plain words, and a
 * zero-width space separates the `@` of `@here` from its word, so it reads the same. `all` does this for every `@name`.
 * Idempotent; mail addresses and those of the web stay intact.
 */
export function neutraliseBroadcasts(text: string, mentions: Mentions = 'broadcast'): string {
  const withoutSpecial = text.replace(SPECIAL, (_whole, group?: string, name?: string, label?: string) => {
    const shown = (label ?? group ?? name ?? '').replace(/^@/, '').replaceAll('@', '');
    return `@${ZERO_WIDTH_SPACE}${shown}`;
  });
  return withoutSpecial.replace(mentions === 'all' ? ANY_MENTION : BROADCAST, (found) =>
    found === '@' ? `@${ZERO_WIDTH_SPACE}` : found,
  );
}

/** Whether the text begins with the name of everyone in a channel. */
export function isBroadcastName(text: string): boolean {
  return BROADCAST_NAME.test(text);
}
