import { Problem } from '#libs/service-kit';

export interface SkillMarkdown {
  name: string;
  description: string;
  knowledge: string;
}

/**
 * Reads a SKILL.md: front matter with `name` and `description`, then the text (agentskills.io/specification). Of YAML it
 * knows what those two need: plain, quoted and block scalars; nested values of other keys are passed over.
 * @throws Problem 422 `invalid_skill_md`
 */
export function readSkillMarkdown(text: string): SkillMarkdown {
  const [, head, body] = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text) ?? [];
  if (head === undefined) throw invalid('it does not begin with front matter between two lines of ---');
  const fields = readFields(head.split(/\r?\n/));
  const name = fields.get('name') ?? '';
  const description = fields.get('description') ?? '';
  if (name === '' || name.length > 200) throw invalid('its front matter needs a name of up to 200 characters');
  if (description.length > 1_024) throw invalid('its description is longer than 1024 characters');
  return { name, description, knowledge: (body ?? '').trim() };
}

export function writeSkillMarkdown({ name, description, knowledge }: SkillMarkdown): string {
  return `---\nname: ${JSON.stringify(name)}\ndescription: ${JSON.stringify(description)}\n---\n\n${knowledge}\n`;
}

function readFields(lines: string[]): Map<string, string> {
  const fields = new Map<string, string>();
  for (let at = 0; at < lines.length; at += 1) {
    const [, key, value] = /^([\w-]+):[ \t]*(.*)$/.exec(lines[at] ?? '') ?? [];
    if (key === undefined || value === undefined) continue;
    const block: string[] = [];
    while (/^([ \t]+|$)/.test(lines[at + 1] ?? 'end')) block.push((lines[(at += 1)] ?? '').trim());
    fields.set(key, scalar(value.trim(), block));
  }
  return fields;
}

function scalar(value: string, block: string[]): string {
  if (/^\|[+-]?$/.test(value)) return block.join('\n').trim();
  if (/^>[+-]?$/.test(value)) return block.join(' ').trim();
  if (value.startsWith('"')) return doubleQuoted([value, ...block].join(' '));
  if (value.startsWith("'")) return value.replace(/^'|'\s*$/g, '').replaceAll("''", "'");
  return [value.replace(/\s+#.*$/, ''), ...block].join(' ').trim();
}

/** A double-quoted scalar of YAML that is JSON as well, as all but a few escapes are. */
function doubleQuoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    throw invalid(`${text.slice(0, 40)} is not a quoted text`);
  }
}

function invalid(what: string): Problem {
  return new Problem(422, 'invalid_skill_md', `SKILL.md cannot be read: ${what}.`, [
    { field: 'files.SKILL.md', message: what },
  ]);
}
