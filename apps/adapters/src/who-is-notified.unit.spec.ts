import { channels } from './testing/readings/channels.js';
import { wordsOf } from './testing/readings/reading.js';

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

const anybody = /(?:^|\W)@[a-z0-9]/i;
const everybody = /(?:^|[^\w])@(?:here|channel|everyone)(?![\w-])|<![a-z]/i;
const notifying: Record<string, RegExp> = {
  GitHub: anybody,
  Telegram: anybody,
  Slack: everybody,
  Discord: /@everyone|@here/i,
  Teams: everybody,
  WhatsApp: everybody,
};

describe.each(channels.filter(({ name }) => name in notifying))('$name notifies nobody', ({ name, send, read }) => {
  const names = notifying[name] === anybody ? ['octocat', 'here'] : ['here', 'everyone'];

  it.each(names.flatMap(ways))('%j', (markdown) => {
    const reading = read(send(markdown));
    for (const text of [...reading.notifying, ...(name === 'Telegram' ? [reading.notifying.join('')] : [])]) {
      expect(text).not.toMatch(notifying[name]!);
    }
  });

  it('in code, addresses and mail addresses nothing changes', () => {
    const code = ['@Override', 'a @here b', '@channel'];
    const text = `\`${code[0]}\`\n\n    ${code[1]}\n\n> \`\`\`\n> ${code[2]}\n> \`\`\`\n\nada@here.example https://example.com/@here [a](https://example.com/@octocat)`;
    const sent = send(text);
    const reading = read(sent);
    expect(reading.code).toEqual(code);
    expect(wordsOf(reading.text)).toContain('ada@here.example https://example.com/@here');
    expect(sent).not.toMatch(/\/@\u200b/);
    if (name !== 'Discord') expect(sent).not.toContain('ada@\u200b');
  });

  it('a text that is written again stays as it is', () => {
    if (name === 'GitHub') for (const way of ways('octocat')) expect(send(send(way))).toBe(send(way));
  });
});
