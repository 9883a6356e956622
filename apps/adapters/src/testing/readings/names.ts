import type { Channel, Notifies } from './channel.js';

/** Ways to write a name that a channel would notify, none of them in code. */
const ways = (name: string): string[] => [
  `@${name}`,
  `&#64;${name}`,
  `&#x40;${name}`,
  `&commat;${name}`,
  `\\@${name}`,
  `@&#${name.codePointAt(0)};${name.slice(1)}`,
  `@<!-- -->${name}`,
  `\`code\`@${name}`,
  `@@${name}`,
  `x/@${name} .@${name}`,
  `**@${name}**`,
  `*@*${name} @*${name}*`,
  `\u200b@${name}`,
  `<b>@${name}</b>`,
  `<div>\n@${name} &#64;${name}\n</div>`,
  `| a |\n|---|\n| @${name} |`,
  `> - @${name}\n\n# @${name}`,
  `\`\`\`\n\`\`\` @${name}\n\`\`\`\n\n@${name}`,
  `    code\n\n@${name}`,
  `\`one\ntwo\` @${name} \`\`x\`\` @${name}`,
  `$@${name}$ \\(@${name}\\)`,
  `${'word '.repeat(2_100)}\n\n<!--\n\n\`\`\`\n-->\n@${name}`,
];

/** Texts that name somebody; none for a channel in which a name in a text notifies nobody. */
export function callsOf({ notifies }: Channel): string[] {
  if (notifies === undefined) return [];
  return (notifies === 'anybody' ? ['octocat', 'here'] : ['here', 'everyone']).flatMap(ways);
}

const patterns: Record<Notifies, RegExp> = {
  anybody: /(?:^|\W)@[a-z0-9]/i,
  everybody: /(?:^|[^\w])@(?:here|channel|everyone)(?![\w-])|<![a-z]/i,
  'everybody, wherever it stands': /@everyone|@here/i,
};

/** The stretches of the shown text by which the channel would notify somebody. */
export function notifiedBy({ send, read, notifies, joinsTexts }: Channel, markdown: string): string[] {
  if (notifies === undefined) return [];
  const { notifying } = read(send(markdown));
  const stretches = joinsTexts ? [...notifying, notifying.join('')] : notifying;
  return stretches.filter((text) => patterns[notifies].test(text));
}
