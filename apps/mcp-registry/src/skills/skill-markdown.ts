import { sanitizeName } from '#libs/sanitizer';
import { Problem } from '#libs/service-kit';
import { parse } from 'yaml';

export interface SkillMarkdown {
  name: string;
  description: string;
  knowledge: string;
}

/**
 * Reads a SKILL.md: front matter with `name` and `description`, then the text (agentskills.io/specification). Other
 * keys are ignored.
 * @throws Problem 422 `invalid_skill_md`
 */
export function readSkillMarkdown(text: string): SkillMarkdown {
  const [, head, body] = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text) ?? [];
  if (head === undefined) throw invalid('it does not start with front matter between two lines of ---');
  const { name, description } = readFields(head);
  if (name === '' || name.length > 200) throw invalid('its front matter needs a name of up to 200 characters');
  if (description.length > 1_024) throw invalid('its description is longer than 1024 characters');
  return { name, description, knowledge: (body ?? '').trim() };
}

export function writeSkillMarkdown({ name, description, knowledge }: SkillMarkdown): string {
  return `---\nname: ${JSON.stringify(name)}\ndescription: ${JSON.stringify(description)}\n---\n\n${knowledge}\n`;
}

function readFields(head: string): { name: string; description: string } {
  const fields = parsed(head);
  if (typeof fields !== 'object' || fields === null) throw invalid('its front matter is not a set of keys');
  const textAt = (key: string): string => {
    const value: unknown = Reflect.get(fields, key) ?? '';
    if (typeof value !== 'string') throw invalid(`${key} in its front matter is not a text`);
    return value.trim();
  };
  return { name: sanitizeName(textAt('name')), description: textAt('description') };
}

function parsed(yaml: string): unknown {
  try {
    // Every scalar is read as text, since a Skill may be named 42. The extra first line keeps line numbers as in the
    // file.
    return parse(`\n${yaml}`, { schema: 'failsafe' });
  } catch (error) {
    const [why = ''] = String(error).split('\n');
    throw invalid(
      `its front matter is not valid YAML (${why.replace(/:$/, '')}); put a text with a colon or a # in quotes`,
    );
  }
}

function invalid(what: string): Problem {
  return new Problem(422, 'invalid_skill_md', `SKILL.md cannot be read: ${what}.`, [
    { field: 'files.SKILL.md', message: what },
  ]);
}
