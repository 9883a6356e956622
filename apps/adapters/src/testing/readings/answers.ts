import { type Script, scripts } from './scripts.js';

/** What an agent writes, and what a person is to read. */
export interface Answer {
  name: string;
  markdown: string;
  reads: string;
  bold?: string[];
  struck?: string[];
  /** Shown in bold by channels without headings. */
  heading?: string;
  code?: string[];
  links?: string[];
}

const SITE = 'https://example.com/a_b/?q=1&r=2';

const kinds: Record<string, (words: Script) => Omit<Answer, 'name'>> = {
  'bold and struck': ({ gap, one, two, three, colon, stop, quotes: [open, close] }) => ({
    markdown: `**${one}${colon}**${gap}${two}${gap}~~${three}${stop}~~${gap}${two}\n\n${two}${gap}**${open}${three}${close}**${gap}${one}`,
    reads: `${one}${colon}${gap}${two}${gap}${three}${stop}${gap}${two} ${two}${gap}${open}${three}${close}${gap}${one}`,
    bold: [`${one}${colon}`, `${open}${three}${close}`],
    struck: [`${three}${stop}`],
  }),
  'lists and a heading': ({ one, two, three, stop }) => ({
    markdown: `## ${one}\n\n- ${two}\n  - **${three}**\n  - \`${two}\`\n- [x] ${one}${stop}\n\n3. ${three}\n4. ${one}`,
    reads: `${one} ${two} ${three} ${two} ${one}${stop} ${three} ${one}`,
    heading: one,
    bold: [three],
    code: [two],
  }),
  'a table': ({ one, two, three }) => ({
    markdown: `| ${one} | ${two} |\n|---|:-:|\n| ${three}<br>${one} | a_b * c |\n| **${two}** | 1 \\| 2 |`,
    reads: `${one} ${two} ${three} ${one} a_b * c ${two} 1 | 2`,
  }),
  code: ({ gap, one, two, stop }) => ({
    markdown: `${one}${gap}\`@${two} & <b>\`${gap}${two}${stop}\n\n\`\`\`java\n@Override // ${one}\n\n<!-- ${two} --> **x**\n\`\`\`\n\n    @here ${one} &lt;\n\n> ${two}\n>\n> \`\`\`\n> @channel _${one}_\n> \`\`\`\n\n\`\`a\`@b\`\`${stop}`,
    reads: `${one}${gap}@${two} & <b>${gap}${two}${stop} @Override // ${one} <!-- ${two} --> **x** @here ${one} &lt; ${two} @channel _${one}_ a\`@b${stop}`,
    code: [
      `@${two} & <b>`,
      `@Override // ${one}\n\n<!-- ${two} --> **x**`,
      `@here ${one} &lt;`,
      `@channel _${one}_`,
      'a`@b',
    ],
  }),
  'quotes, links and addresses': ({ gap, one, two, three, stop }) => ({
    markdown: `> ${one}${gap}[${two}](${SITE})\n\n${three}: ada@example.com, <bob@example.com>, https://example.com/x_y_z ${one}${stop}\n\n[${two}][1] [${one}](mailto:eve@example.com)\n\n[1]: https://example.org/`,
    reads: `${one}${gap}${two} ${three}: ada@example.com, bob@example.com, https://example.com/x_y_z ${one}${stop} ${two} ${one}`,
    links: [
      SITE,
      'mailto:ada@example.com',
      'mailto:bob@example.com',
      'https://example.com/x_y_z',
      'https://example.org/',
      'mailto:eve@example.com',
    ],
  }),
  HTML: ({ one, two, three, stop }) => ({
    markdown: `${one}<br>${two} <kbd>Ctrl</kbd>+<kbd>${three}</kbd> <!-- ${one} -->H<sub>2</sub>O <b>${two}</b> &amp; &lt;b&gt;${stop}\n\n<details>\n<summary>${three}</summary>\n\n- **${one}**\n\n</details>\n\n${two} \\<!DOCTYPE html> List\\<String> <!DOCTYPE html> Map<Key, Value>`,
    reads: `${one} ${two} Ctrl+${three} H2O ${two} & <b>${stop} ${three} ${one} ${two} <!DOCTYPE html> List<String> <!DOCTYPE html> Map<Key, Value>`,
    code: ['Ctrl', three],
  }),
  'emoji, mathematics and stars': ({ gap, one, two, three, stop }) => ({
    markdown: `👩‍👩‍👧${gap}${one}${gap}🇩🇪 2*3*4 = 24, x**2 + y**2, snake_case_name, \\*${two}\\*, \\_${three}\\_ ~5\n\n\\(a_1 * b_2 * c\\) ${two} $x_{i}*y_{i}*z$ US$5 ${one}${stop} \\[\\frac{a}{b} \\\\ c\\]`,
    reads: `👩‍👩‍👧${gap}${one}${gap}🇩🇪 2*3*4 = 24, x**2 + y**2, snake_case_name, *${two}*, _${three}_ ~5 \\(a_1 * b_2 * c\\) ${two} $x_{i}*y_{i}*z$ US$5 ${one}${stop} \\[\\frac{a}{b} \\\\ c\\]`,
    bold: [],
    struck: [],
  }),
};

/** Seven answers in each of ten scripts. */
export const answers: Answer[] = scripts.flatMap((script) =>
  Object.entries(kinds).map(([kind, make]) => ({ name: `${script.name}, ${kind}`, ...make(script) })),
);
