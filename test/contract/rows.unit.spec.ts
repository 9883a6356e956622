import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Held, type Row, rows } from './rows.js';

const titlesIn = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/(?:\bit\(|\)\()\s*(['`])(.+?)\1,/g)].map(([, , title = '']) => title);

/** Titles of the tests here, by file. */
const titles = new Map(
  readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('rows'))
    .map((file) => [file.slice(0, -3), titlesIn(join(import.meta.dirname, file))]),
);

const isThere = (name: string): boolean => {
  const [file = '', begins = ''] = name.split(' > ');
  return begins !== '' && (titles.get(file) ?? []).some((title) => title.startsWith(begins));
};
const missingIn = (held: Held): string[] =>
  'none' in held
    ? held.none === ''
      ? ['no reason']
      : []
    : held.length === 0
      ? ['no test']
      : held.filter((name) => !isThere(name));

describe('the rows of the contract', () => {
  it('are 34, each of its own section', () => {
    expect([rows.length, new Set(rows.map(({ section }) => section)).size]).toEqual([34, 34]);
  });

  it.each(rows.map((row): [string, string, Row] => [row.section, row.says, row]))(
    'have a test while all is well, of how soon, of what is away and of who is hurt: %s, %s',
    (_section, _says, { works, soon, away, others }) => {
      expect([works, soon, away, others].flatMap(missingIn)).toEqual([]);
    },
  );

  it('are walked by the adapter that was written from its page alone, where they are of a channel without OAuth', () => {
    const isWalked = ({ works, soon, away, others }: Row): boolean =>
      [works, soon, away, others].some((held) => !('none' in held) && held.some((name) => name.startsWith('anew')));
    const elsewhere = rows.filter((row) => !isWalked(row)).map(({ section }) => section);
    const skills = ['1.1', '1.2', '1.3', '1.4', '1.5', '1.7', '4.5'];
    const webhook = ['1, Webhook app', '2.8', '4.3', '4.4', '5.5'];
    expect(elsewhere.toSorted()).toEqual([...skills, ...webhook].toSorted());
  });
});
