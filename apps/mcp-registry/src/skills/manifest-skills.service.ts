import { builtinTools } from '#libs/contracts';
import { type Principal, Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { SkillView } from './skill.dto.js';
import { SkillRepository } from './skill.repository.js';
import { SkillService } from './skill.service.js';

const maxKnowledge = 100_000;

/** Makes the Skill that a manifest declares (spec 2.1 `skill`), with an App or without one. */
@Injectable()
export class ManifestSkills {
  constructor(
    @Inject(SkillService) private readonly skills: SkillService,
    @Inject(SkillRepository) private readonly rows: SkillRepository,
  ) {}

  /**
   * The same manifest again changes the Skill it made; what a person added to its tools stays.
   * @throws Problem 422 `invalid_manifest`, 409 `slug_taken` when a Skill of another origin has the slug
   */
  async put(caller: Principal, manifest: Record<string, unknown>): Promise<SkillView> {
    const { slug, name, knowledge, tools } = readSkill(manifest);
    const known = await this.rows.findBySlug(caller, slug);
    if (!known) return this.skills.create(caller, { slug, name, knowledge, tools }, 'manifest');
    if (known.origin !== 'manifest') {
      throw new Problem(409, 'slug_taken', `The slug ${slug} is that of a Skill which no manifest made.`);
    }
    const { content } = await this.skills.get(caller, known.id);
    const given = new Set(content.tools.map(({ tool }) => tool));
    const added = tools.filter(({ tool }) => !given.has(tool));
    return this.skills.change(caller, known.id, { name, knowledge, tools: [...content.tools, ...added] });
  }
}

function readSkill({ slug, skill }: Record<string, unknown>) {
  const wrong = (field: string, message: string): Problem =>
    new Problem(422, 'invalid_manifest', `The manifest's ${field} ${message}.`, [{ field, message }]);
  if (typeof slug !== 'string' || !/^[a-z0-9][a-z0-9-]{0,39}$/.test(slug)) {
    throw wrong('slug', 'has to be up to 40 lower-case letters, digits and dashes');
  }
  const { name, knowledge, tool_names: names = [] } = (skill ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string' || name === '' || name.length > 200) throw wrong('skill.name', 'has to be a text');
  if (typeof knowledge !== 'string' || knowledge.length > maxKnowledge)
    throw wrong('skill.knowledge', 'has to be a text');
  if (!Array.isArray(names)) throw wrong('skill.tool_names', 'has to be a list');
  const unknown = names.filter((one) => !builtinTools.some((tool) => tool.name === one));
  if (unknown.length > 0) {
    const there = builtinTools.map((tool) => tool.name).join(', ');
    throw wrong('skill.tool_names', `names ${unknown.map(String).join(', ').slice(0, 200)}; there are ${there}`);
  }
  return { slug, name, knowledge, tools: [...new Set(names)].map((one) => ({ tool: `builtin:${String(one)}` })) };
}
