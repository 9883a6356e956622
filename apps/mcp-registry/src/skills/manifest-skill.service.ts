import { builtinTools } from '#libs/contracts';
import { sanitizeName } from '#libs/sanitizer';
import { notFound, type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { AgentUsage } from '../agents/agent-usage.js';
import type { AppCredentialsOfSkill, SkillView } from './skill.dto.js';
import { SkillRepository } from './skill.repository.js';
import { SkillService } from './skill.service.js';
import type { SkillContent } from '../entities/skill-version.entity.js';

const maxKnowledge = 100_000;

type Links = SkillContent['credentials'];

/** Makes the Skill that a manifest declares (spec 2.1 `skill`), with or without an App. */
@Injectable()
export class ManifestSkillService {
  constructor(
    private readonly skills: SkillService,
    private readonly rows: SkillRepository,
    private readonly usage: AgentUsage,
  ) {}

  /**
   * Repeating it updates the Skill that the manifest made. Tools that a person added stay.
   * @throws Problem 422 `invalid_manifest`, 409 `slug_taken` when a Skill of another origin has the slug
   */
  async put(caller: Principal, manifest: Record<string, unknown>): Promise<SkillView> {
    const { unknown, ...declared } = readSkill(manifest);
    if (unknown.length === 0) return this.write(caller, declared, {});
    const there = builtinTools.map((tool) => tool.name).join(', ');
    throw wrong('skill.tool_names', `names unknown tools (${unknown.join(', ').slice(0, 200)}). Known: ${there}`);
  }

  /**
   * As `put`, with the credentials of the App. The manifest was approved with its faults shown, so unknown tools are
   * left out and reported.
   * @throws Problem as `put`
   */
  async putOfApp(
    caller: Principal,
    manifest: Record<string, unknown>,
    app: AppCredentialsOfSkill,
  ): Promise<{ skill: SkillView; leftOut: string[] }> {
    const { unknown, ...declared } = readSkill(manifest);
    return { skill: await this.write(caller, declared, app), leftOut: unknown };
  }

  /** Gives a Skill its App's current credentials. @throws Problem 404 `skill_not_found` */
  async link(caller: Principal, slug: string, app: AppCredentialsOfSkill): Promise<SkillView> {
    const known = await this.rows.findBySlug(caller, slug);
    if (known?.origin !== 'manifest') throw notFound('skill', slug);
    const { content } = await this.skills.get(caller, known.id);
    const credentials = linked(content.credentials, app);
    if (sameLinks(credentials, content.credentials)) return this.skills.view(caller, known.id);
    return this.skills.change(caller, known.id, { credentials });
  }

  /** Removes the Skill. One that agents use is kept and becomes a person's. @throws Problem 503 without the engine */
  async remove(caller: Principal, slug: string): Promise<{ outcome: 'removed' | 'kept' | 'none' }> {
    const known = await this.rows.findBySlug(caller, slug);
    if (known?.origin !== 'manifest') return { outcome: 'none' };
    if ((await this.usage.of(caller, 'skill', known.id)).length > 0) {
      await this.rows.giveToPeople(caller, known.id);
      return { outcome: 'kept' };
    }
    await this.skills.delete(caller, known.id, true);
    return { outcome: 'removed' };
  }

  private async write(
    caller: Principal,
    { slug, name, knowledge, tools }: Omit<ReturnType<typeof readSkill>, 'unknown'>,
    app: AppCredentialsOfSkill,
  ): Promise<SkillView> {
    const known = await this.rows.findBySlug(caller, slug);
    if (!known) {
      const credentials = linked([], app);
      return this.skills.create(caller, { slug, name, knowledge, tools, credentials }, 'manifest');
    }
    if (known.origin !== 'manifest') {
      throw new Problem(409, 'slug_taken', `The slug ${slug} belongs to a Skill that was not made from a manifest.`);
    }
    const { content } = await this.skills.get(caller, known.id);
    const given = new Set(content.tools.map(({ tool }) => tool));
    const added = tools.filter(({ tool }) => !given.has(tool));
    const credentials = linked(content.credentials, app);
    const same = sameLinks(credentials, content.credentials);
    const change = { name, knowledge, tools: [...content.tools, ...added], ...(same ? {} : { credentials }) };
    return this.skills.change(caller, known.id, change);
  }
}

/**
 * Credentials that people linked stay. The App's credentials replace those that it gave before. Hosts that the manifest
 * in force declares apply; where it declares none, those that people set do, as do their header and scheme.
 */
function linked(before: Links, { credentials = [], names = [] }: AppCredentialsOfSkill): Links {
  const managed = new Set([...names, ...credentials.map(({ as }) => as)]);
  const kept = before.filter(({ as }) => !managed.has(as));
  const known = new Map(before.map((link) => [link.as, link]));
  const given = credentials.map(({ credential_id, as, hosts }) => {
    const { trust, ...kept }: Partial<Links[number]> = known.get(as) ?? {};
    // A person trusted the hosts of then, not those that a manifest declares later.
    const isSame = hosts === undefined || hosts.every((host) => kept.hosts?.includes(host));
    const trusted = trust === undefined || !isSame ? {} : { trust };
    return { ...kept, ...trusted, credential_id, as, ...(hosts === undefined ? {} : { hosts }) };
  });
  return [...kept, ...given];
}

function sameLinks(a: Links, b: Links): boolean {
  const sorted = (links: Links): string[] =>
    links.map(({ as, credential_id: id, hosts = [] }) => `${as} ${id} ${[...hosts].sort().join(' ')}`).sort();
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function wrong(field: string, message: string): Problem {
  return new Problem(422, 'invalid_manifest', `The manifest's ${field} ${message}.`, [{ field, message }]);
}

function readSkill({ slug, skill }: Record<string, unknown>) {
  if (typeof slug !== 'string' || !/^[a-z0-9][a-z0-9-]{0,39}$/.test(slug)) {
    throw wrong('slug', 'must be up to 40 lower-case letters, digits and dashes');
  }
  const { name: given, knowledge, tool_names: names = [] } = (skill ?? {}) as Record<string, unknown>;
  const name = typeof given === 'string' ? sanitizeName(given) : '';
  if (name === '' || name.length > 200) throw wrong('skill.name', 'must be a text');
  if (typeof knowledge !== 'string' || knowledge.length > maxKnowledge)
    throw wrong('skill.knowledge', 'must be a text');
  if (!Array.isArray(names)) throw wrong('skill.tool_names', 'must be a list');
  const isKnown = (one: unknown): boolean => builtinTools.some((tool) => tool.name === one);
  const tools = [...new Set(names.filter(isKnown))].map((one) => ({ tool: `builtin:${String(one)}` }));
  return { slug, name, knowledge, tools, unknown: names.filter((one) => !isKnown(one)).map(String) };
}
