const ZERO_WIDTH_SPACE = '\u200b';
const BROADCAST = /(?<![\w@])@(?=(?:here|channel|everyone|all|room|group|team)\b)/gi;
const ANY_MENTION = /(?<![\w@`/.])@(?=[A-Za-z0-9])/g;
const SPECIAL = /<!(?:subteam\^)?([^<>|\n]{1,200})(?:\|([^<>\n]{1,200}))?>/g;

/**
 * The text with mentions that would notify many people made inert. `<!channel>` and the like become plain words, and a
 * zero-width space separates the `@` of `@here` from its word, so it reads the same. `all` does this for every `@name`,
 * for platforms where any name in a text notifies its owner. Idempotent; mail addresses stay intact.
 */
export function neutraliseBroadcasts(text: string, mentions: 'broadcast' | 'all' = 'broadcast'): string {
  const withoutSpecial = text.replace(SPECIAL, (_whole, name: string, label?: string) => {
    const shown = (label ?? name).replace(/^@/, '').replaceAll('@', '');
    return `@${ZERO_WIDTH_SPACE}${shown}`;
  });
  return withoutSpecial.replace(mentions === 'all' ? ANY_MENTION : BROADCAST, `@${ZERO_WIDTH_SPACE}`);
}
