import { type Principal, Problem, refuseUnsafe } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { PythonToolService } from '../tools/python-tool.service.js';
import { builtinOf } from '../tools/tool-view.js';
import { ToolRepository } from '../tools/tool.repository.js';
import { readSkillMarkdown, writeSkillMarkdown } from './skill-markdown.js';
import type { ImportedSkill, SkillFile, SkillFolder } from './skill.dto.js';
import { SkillService } from './skill.service.js';

const markdownName = 'SKILL.md';
const extrasName = 'gatehouse.json';

/** What SKILL.md cannot express. It is a file beside it in the folder. */
interface Extras {
  builtin_tools?: string[];
  mcp_tools?: string[];
  credentials?: string[];
}

/** Skills as folders of the open format: SKILL.md, Python tools as tools/<name>.py, the rest in gatehouse.json. */
@Injectable()
export class SkillFolderService {
  constructor(
    private readonly skills: SkillService,
    private readonly tools: ToolRepository,
    private readonly python: PythonToolService,
  ) {}

  /** Exports no credential, only the names by which tools refer to them. @throws Problem 404 */
  async export(caller: Principal, id: string): Promise<SkillFolder> {
    const { content } = await this.skills.get(caller, id);
    const references = content.tools.map(({ tool }) => tool);
    const rows = await this.tools.findAll(
      caller,
      references.filter((one) => !builtinOf(one)),
    );
    const extras: Extras = {
      builtin_tools: references.flatMap((one) => builtinOf(one)?.name ?? []),
      mcp_tools: rows.filter(({ source }) => source === 'mcp').map(({ name }) => name),
      credentials: content.credentials.map(({ as }) => as),
    };
    const scripts = rows.flatMap(({ name, definition }) =>
      definition?.python ? [{ path: `tools/${name}.py`, content: definition.python.source }] : [],
    );
    return {
      files: [
        { path: markdownName, content: writeSkillMarkdown(content) },
        ...scripts,
        { path: extrasName, content: `${JSON.stringify(extras, null, 2)}\n` },
      ],
    };
  }

  /**
   * Makes a Skill of a folder. Files of an unknown kind are reported and not kept.
   * @throws Problem 422 `invalid_skill_md`, `invalid_gatehouse_json`, and those of creating tools and Skills
   */
  async import(caller: Principal, given: SkillFile[]): Promise<ImportedSkill> {
    const files = withoutRoot(given);
    const markdown = files.find(({ path }) => path === markdownName);
    if (!markdown) throw new Problem(422, 'invalid_skill_md', 'The folder has no SKILL.md.');
    const { name, description, knowledge } = readSkillMarkdown(markdown.content);
    refuseUnsafe({ name, description, knowledge });
    const extras = readExtras(files.find(({ path }) => path === extrasName)?.content);
    const scripts = files.filter(({ path }) => /^tools\/[^/]+\.py$/.test(path));
    const builtin = (extras.builtin_tools ?? []).map((tool) => `builtin:${tool}`);
    const created: string[] = [];
    try {
      for (const { content } of scripts) created.push((await this.python.create(caller, content)).id);
      const tools = [...builtin.filter((one) => builtinOf(one)), ...created].map((tool) => ({ tool }));
      const skill = await this.skills.create(caller, { name, description, knowledge, tools });
      const kept = new Set([markdownName, extrasName, ...scripts.map(({ path }) => path)]);
      return {
        skill,
        ignored: files.map(({ path }) => path).filter((path) => !kept.has(path)),
        missing: [
          ...builtin.filter((one) => !builtinOf(one)),
          ...(extras.mcp_tools ?? []).map((tool) => `MCP tool ${tool}`),
          ...(extras.credentials ?? []).map((one) => `credential ${one}`),
        ],
      };
    } catch (error) {
      for (const id of created) await this.tools.delete(caller, id);
      throw error;
    }
  }
}

/** All paths of a folder may begin with the folder's own name. */
function withoutRoot(files: SkillFile[]): SkillFile[] {
  const root = files.find(({ path }) => /^[^/]+\/SKILL\.md$/.test(path))?.path.slice(0, -markdownName.length);
  if (!root || files.some(({ path }) => !path.startsWith(root))) return files;
  return files.map(({ path, content }) => ({ path: path.slice(root.length), content }));
}

function readExtras(text: string | undefined): Extras {
  if (text === undefined) return {};
  try {
    const value = JSON.parse(text) as Extras | null;
    const lists = [value?.builtin_tools, value?.mcp_tools, value?.credentials];
    const right = lists.every(
      (list) =>
        list === undefined ||
        (Array.isArray(list) && list.every((one) => typeof one === 'string' && one.length <= 200)),
    );
    if (value && right) return value;
  } catch {
    // Reported below, together with the other kind of error.
  }
  throw new Problem(422, 'invalid_gatehouse_json', `${extrasName} must be JSON with lists of names.`);
}
