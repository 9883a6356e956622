import { columnsOf, isTrustedLess, newId } from '#libs/contracts';
import {
  type FieldError,
  notFound,
  type Page,
  pageOf,
  type Principal,
  Problem,
  type SearchQuery,
  requireApprovalsManage,
} from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { CredentialBindings } from '../credentials/credential-bindings.js';
import { requireCredentialRights } from '../credentials/may-use-credentials.js';
import { AgentUsage } from '../agents/agent-usage.js';
import { agentSlug, slugOf } from '../names/model-name.js';
import { builtinOf } from '../tools/tool-view.js';
import { ToolRepository } from '../tools/tool.repository.js';
import type { SkillContent, SkillCredentialEntry } from '../entities/skill-version.entity.js';
import type { ChangeSkill, CreateSkill, SkillView, SkillVersionList } from './skill.dto.js';
import type { Skill, SkillOrigin } from '../entities/skill.entity.js';
import { skillWarnings } from './skill-warnings.js';
import { type FullSkill, SkillRepository, SkillSlugTaken } from './skill.repository.js';

/** Skills: knowledge, tools and credentials under one name (spec 1). Every change makes a version. */
@Injectable()
export class SkillService {
  constructor(
    private readonly skills: SkillRepository,
    private readonly tools: ToolRepository,
    private readonly bindings: CredentialBindings,
    private readonly usage: AgentUsage,
  ) {}

  /** @throws Problem 422 `invalid_fields`, 409 `slug_taken`, 403 `scope_missing`, and those of the vault */
  async create(caller: Principal, body: CreateSkill, origin: SkillOrigin = 'person'): Promise<SkillView> {
    const content = contentOf(body, { name: body.name, description: '', knowledge: '', tools: [], credentials: [] });
    await this.check(caller, body);
    requireRightToTrustHosts(caller, [], content.credentials);
    const now = new Date();
    const { name, description, knowledge } = content;
    const skill: Skill = {
      id: newId('skl'),
      ...columnsOf(caller),
      slug: body.slug ?? slugOf(name),
      name,
      description,
      knowledge,
      origin,
      server_id: null,
      version: 0,
      created_at: now,
      updated_at: now,
    };
    if (skill.slug === agentSlug) throw slugTaken(agentSlug);
    await this.bind(caller, skill.id, content);
    try {
      return viewOf(await this.skills.create(skill, content, caller.subject));
    } catch (error) {
      if (content.credentials.length > 0) await this.bindings.unbind(caller, { kind: 'skill', id: skill.id });
      throw error instanceof SkillSlugTaken ? slugTaken(skill.slug) : error;
    }
  }

  /** @throws Problem as `create`, 404 `skill_not_found` */
  async change(caller: Principal, id: string, body: ChangeSkill): Promise<SkillView> {
    await this.get(caller, id);
    await this.check(caller, body);
    return this.write(caller, id, (before) => contentOf(body, before));
  }

  /** Restores an earlier version as the newest. Everything it names must still exist. @throws Problem as `change` */
  async restore(caller: Principal, id: string, version: number): Promise<SkillView> {
    await this.get(caller, id);
    const kept = await this.skills.version(id, version);
    if (!kept) throw notFound('skill_version', version);
    await this.check(caller, kept.content);
    return this.write(caller, id, () => kept.content);
  }

  async list(caller: Principal, { limit, cursor, search }: SearchQuery): Promise<Page<SkillView>> {
    const page = pageOf(await this.skills.list(caller, limit + 1, cursor, search), limit, ({ skill }) => skill.id);
    return { data: page.data.map(viewOf), next_cursor: page.next_cursor };
  }

  async view(caller: Principal, id: string): Promise<SkillView> {
    return viewOf(await this.get(caller, id));
  }

  async versions(caller: Principal, id: string): Promise<SkillVersionList> {
    await this.get(caller, id);
    const rows = await this.skills.versions(id);
    return {
      data: rows.map(({ version, content, created_by, created_at }) => ({
        version,
        content,
        created_by,
        created_at: created_at.toISOString(),
      })),
    };
  }

  /** @throws Problem 404, 409 `skill_of_server`, `skill_in_use` naming the agents, unless forced */
  async delete(caller: Principal, id: string, force: boolean): Promise<void> {
    const { skill, content } = await this.get(caller, id);
    if (skill.server_id) {
      throw new Problem(
        409,
        'skill_of_server',
        `The Skill belongs to the MCP server ${skill.server_id}: unregister the server instead.`,
      );
    }
    const agents = force ? [] : await this.usage.of(caller, 'skill', id);
    if (agents.length > 0) {
      const names = agents.map(({ name }) => name).join(', ');
      throw new Problem(
        409,
        'skill_in_use',
        `Agents have this Skill: ${names}. Remove it from them, or delete with force=true.`,
      );
    }
    await this.skills.delete(caller, id);
    if (content.credentials.length > 0) await this.bindings.unbind(caller, { kind: 'skill', id });
  }

  /** @throws Problem 404 `skill_not_found` */
  async get(caller: Principal, id: string): Promise<FullSkill> {
    const found = await this.skills.find(caller, id);
    if (!found) throw notFound('skill', id);
    return found;
  }

  private async write(
    caller: Principal,
    id: string,
    change: (before: SkillContent) => SkillContent,
  ): Promise<SkillView> {
    let before: SkillContent['credentials'] = [];
    const written = await this.skills.change(caller, id, caller.subject, (content) => {
      before = content.credentials;
      const changed = change(content);
      requireRightToTrustHosts(caller, before, changed.credentials);
      return changed;
    });
    if (!written) throw notFound('skill', id);
    const dropped = before.map((one) => one.credential_id).filter((one) => !names(written.content, one));
    for (const one of new Set(dropped)) await this.bindings.unbind(caller, { kind: 'skill', id }, one);
    // A concurrent change may have added back a credential whose binding this one removed.
    const now = dropped.length > 0 ? await this.skills.find(caller, id) : written;
    await this.bind(caller, id, now?.content ?? written.content);
    return viewOf(written);
  }

  private async bind(caller: Principal, id: string, { credentials }: SkillContent): Promise<void> {
    for (const { credential_id } of credentials) await this.bindings.bind(caller, credential_id, { kind: 'skill', id });
  }

  private async check(caller: Principal, { tools = [], credentials = [] }: ChangeSkill): Promise<void> {
    if (credentials.length > 0) requireCredentialRights(caller);
    const references = tools.map(({ tool }) => tool);
    const ids = references.filter((reference) => !builtinOf(reference));
    const known = new Set((await this.tools.findAll(caller, ids)).map(({ id }) => id));
    const errors: FieldError[] = references.flatMap((reference, at) =>
      builtinOf(reference) || known.has(reference)
        ? []
        : [{ field: `tools.${at}.tool`, message: `there is no tool ${reference} in this project` }],
    );
    if (errors.length > 0) throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', errors);
  }
}

const names = ({ credentials }: SkillContent, id: string): boolean =>
  credentials.some(({ credential_id }) => credential_id === id);

function contentOf(body: ChangeSkill, before: SkillContent): SkillContent {
  return {
    name: body.name ?? before.name,
    description: body.description ?? before.description,
    knowledge: body.knowledge ?? before.knowledge,
    tools: body.tools?.map(({ tool, enabled = true }) => ({ tool, enabled })) ?? before.tools,
    credentials: body.credentials?.map(entryOf) ?? before.credentials,
  };
}

/** Omits absent fields: the credential's own record then decides. */
function entryOf({ credential_id, as, hosts, header, scheme, trust }: SkillCredentialEntry): SkillCredentialEntry {
  return {
    credential_id,
    as,
    ...(hosts === undefined || hosts.length === 0 ? {} : { hosts: hosts.map((host) => host.toLowerCase()) }),
    ...(header === undefined ? {} : { header }),
    ...(scheme === undefined ? {} : { scheme }),
    ...(trust === undefined || trust === 'untrusted' ? {} : { trust }),
  };
}

/** @throws Problem 403 `scope_missing` for more trust in answers, or the same trust in more hosts */
function requireRightToTrustHosts(
  caller: Principal,
  before: SkillCredentialEntry[],
  after: SkillCredentialEntry[],
): void {
  for (const { as, trust = 'untrusted', hosts = [] } of after) {
    const was = before.find((one) => one.as === as);
    const isMore = isTrustedLess(was?.trust ?? 'untrusted', trust);
    const isWider = trust !== 'untrusted' && hosts.some((host) => !was?.hosts?.includes(host));
    if (isMore || isWider) requireApprovalsManage(caller, `Trusting answers of the hosts of ${as} as ${trust}`);
  }
}

function viewOf({ skill, content }: FullSkill): SkillView {
  return {
    id: skill.id,
    slug: skill.slug,
    ...content,
    origin: skill.origin,
    server_id: skill.server_id,
    provider: skill.origin === 'manifest' ? skill.slug : null,
    version: skill.version,
    warnings: skillWarnings(content),
    created_at: skill.created_at.toISOString(),
    updated_at: skill.updated_at.toISOString(),
  };
}

function slugTaken(slug: string): Problem {
  return new Problem(409, 'slug_taken', `The slug ${slug} is taken in this project: give another one.`, [
    { field: 'slug', message: 'is taken' },
  ]);
}
