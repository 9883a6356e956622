import { Problem } from '#libs/service-kit';
import { readSkillMarkdown, writeSkillMarkdown } from './skill-markdown.js';

const folder = (head: string, body = 'Do it.'): string => `---\n${head}\n---\n${body}\n`;

const refusalOf = (text: string): unknown => {
  try {
    return readSkillMarkdown(text);
  } catch (error) {
    return error instanceof Problem ? [error.status, error.code, error.message] : error;
  }
};

describe('a SKILL.md', () => {
  it.each([
    ['plain scalars, with comments and line ends of Windows', 'name: add # it\r\ndescription: adds:two', 'adds:two'],
    ['quoted ones', 'name: "add"\ndescription: "adds \\u2014 \\"two\\""', 'adds — "two"'],
    ['single quotes', "name: 'add'\ndescription: 'it''s \"two\"'", 'it\'s "two"'],
    ['folded blocks', 'name: add\ndescription: >-\n  adds\n  two\nmetadata:\n  author: us\n  tags: [a, b]', 'adds two'],
    ['literal blocks', 'description: |\n  adds\n  two\nname: add', 'adds\ntwo'],
  ])('is read with %s', (_what, head, description) => {
    expect(readSkillMarkdown(folder(head))).toEqual({ name: 'add', description, knowledge: 'Do it.' });
  });

  it('has only text values: a number, a date and a boolean stay as written', () => {
    expect(readSkillMarkdown(folder('name: 007\ndescription: 2026-01-02'))).toMatchObject({
      name: '007',
      description: '2026-01-02',
    });
    expect(readSkillMarkdown(folder('name: yes')).name).toBe('yes');
  });

  it('has a name as people see it', () => {
    expect(readSkillMarkdown(folder('name: "\\u202Edda\\u200B "')).name).toBe('dda');
  });

  it('is read as it was written', () => {
    const skill = { name: 'a: "b" # c', description: "- d\n' e", knowledge: '---\nf' };
    expect(readSkillMarkdown(writeSkillMarkdown(skill))).toEqual(skill);
  });

  it.each([
    ['without front matter', 'name: add', /does not start with front matter/],
    ['whose front matter is no YAML', folder('name: "add'), /not valid YAML .* at line 2, column/],
    [
      'with a colon that is not quoted',
      folder('name: a\ndescription: Use when: asked'),
      /not valid YAML .* at line 3, .*; put a text with a colon or a # in quotes/,
    ],
    ['whose keys come twice', folder('name: a\nname: b'), /not valid YAML .*unique/],
    ['whose front matter is a text', folder('add'), /is not a set of keys/],
    ['whose name is a list', folder('name: [a]'), /name in its front matter is not a text/],
    ['without a name', folder('description: adds'), /needs a name/],
    ['whose description is too long', folder(`name: a\ndescription: ${'x'.repeat(1_025)}`), /1024/],
    [
      'that grows when it is read',
      folder(
        `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [${'*a,'.repeat(9)}]\nc: &c [${'*b,'.repeat(9)}]\nd: [${'*c,'.repeat(9)}]`,
      ),
      /Excessive alias/,
    ],
  ])('is refused %s', (_what, text, why) => {
    expect(refusalOf(text)).toEqual([422, 'invalid_skill_md', expect.stringMatching(why)]);
  });
});
