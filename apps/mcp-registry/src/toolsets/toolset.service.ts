import type { ContentTrust, CredentialBinding, Toolset, ToolsetTool } from '#libs/contracts';
import type { Principal } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { McpServer } from '../entities/mcp-server.entity.js';
import { ServerRepository } from '../servers/server.repository.js';
import { type FullSkill, SkillRepository } from '../skills/skill.repository.js';
import { type RegistrySettings, SETTINGS } from '../settings.js';
import { leftOutOf, notPython, notThere } from '../tools/left-out.js';
import { agentSlug, modelName, nameById } from '../names/model-name.js';
import { plainSchema, plainText } from '../tools/plain-text.js';
import { builtinOf, builtinPin } from '../tools/tool-view.js';
import type { Tool } from '../tools/tool.entity.js';
import { ToolRepository } from '../tools/tool.repository.js';

/** A tool with the trust that its results have. */
type TrustedTool = Tool & { trust: ContentTrust };

/** An agent's tools in one turn: approved definitions only, under the names by which a model calls them. */
@Injectable()
export class ToolsetService {
  constructor(
    private readonly skills: SkillRepository,
    private readonly tools: ToolRepository,
    private readonly servers: ServerRepository,
    @Inject(SETTINGS) private readonly settings: RegistrySettings,
  ) {}

  /** A call may have to connect first, and once more where the server has lost the session. */
  private get callMaxMs(): number {
    const { MCP_CALL_MAX_MS, MCP_CONNECT_TIMEOUT_MS } = this.settings;
    return MCP_CALL_MAX_MS + 2 * MCP_CONNECT_TIMEOUT_MS;
  }

  /** @param toolIds Python tools that the agent has directly */
  async of(caller: Principal, skillIds: string[], toolIds: string[]): Promise<Toolset> {
    const skills = await this.skills.findAll(caller, skillIds);
    const inSkills = skills.flatMap(({ content }) => content.tools);
    const rows = await this.tools.findAll(caller, [...inSkills.map(({ tool }) => tool), ...toolIds]);
    const serverIds = [...rows.map((tool) => tool.server_id), ...skills.map(({ skill }) => skill.server_id)];
    const servers = await this.servers.findAll(caller, [...new Set(serverIds.filter((id) => id !== null))]);
    const trusts = new Map(servers.map(({ id, trust }) => [id, trust]));
    const known = new Map(rows.map((tool) => [tool.id, { ...tool, trust: trustOf(tool, trusts) }]));
    const toolset: Toolset = { skills: [], tools: [], problems: [], left_out: [] };
    for (const id of skillIds) {
      const skill = skills.find((one) => one.skill.id === id);
      if (skill) addSkill(toolset, skill, known);
      else toolset.problems.push({ skill_id: id, message: 'There is no such Skill.' });
    }
    for (const id of toolIds) {
      const tool = known.get(id);
      if (tool?.source === 'python') add(toolset, ofRow(tool, null, []));
      else toolset.left_out.push({ id, name: tool?.name ?? id, skill: null, ...(tool ? notPython : notThere) });
    }
    addServerProblems(toolset, skills, servers);
    for (const tool of toolset.tools) if (tool.source === 'mcp') tool.call_max_ms = this.callMaxMs;
    return toolset;
  }
}

/** A tool's own trust, else its server's. Nobody vouches for what a Python tool has asked for, unless a person says so. */
function trustOf({ trust, server_id: serverId }: Tool, ofServers: Map<string, ContentTrust>): ContentTrust {
  return trust ?? ofServers.get(serverId ?? '') ?? 'untrusted';
}

/**
 * A server that does not answer keeps its tools: a call reports the error, and the server may be back by the next
 * turn.
 */
function addServerProblems(toolset: Toolset, skills: FullSkill[], servers: McpServer[]): void {
  const bySkill = new Map(skills.flatMap(({ skill }) => (skill.server_id ? [[skill.server_id, skill.id]] : [])));
  for (const server of servers) {
    const skillId = bySkill.get(server.id);
    if (skillId === undefined || !['auth_failed', 'degraded'].includes(server.health)) continue;
    toolset.problems.push({ skill_id: skillId, message: problemOf(server) });
  }
}

function problemOf({ name, health, health_reason }: McpServer): string {
  const what = health === 'auth_failed' ? 'refuses its credential' : 'does not answer';
  return `The MCP server ${name} ${what}${health_reason ? `: ${health_reason}` : ''}`;
}

function addSkill(toolset: Toolset, { skill, content }: FullSkill, known: Map<string, TrustedTool>): void {
  const { id, slug, name, knowledge, version } = skill;
  toolset.skills.push({ id, slug, name, knowledge, version });
  toolset.left_out.push(...leftOutOf(slug, content.tools, known));
  const bindings = content.credentials.map((one) => ({ ...one, skill_id: id }));
  for (const { tool: reference, enabled } of content.tools) {
    if (!enabled) continue;
    const tool = ofReference(reference, { id, slug }, bindings, known.get(reference));
    if (tool) add(toolset, tool);
  }
}

/** Two tools of one name would be confused with each other, so the second gets a name by its id. */
function add(toolset: Toolset, tool: ToolsetTool): void {
  const first = toolset.tools.find(({ model_name }) => model_name === tool.model_name);
  if (!first) toolset.tools.push(tool);
  // A built-in tool may be in several Skills. It is still one tool, with the credentials of all of them.
  else if (first.id === tool.id)
    first.credential_bindings = merged(first.credential_bindings, tool.credential_bindings, tool.skill_slug);
  else add(toolset, { ...tool, model_name: nameById(tool.model_name, tool.id) });
}

/**
 * If two Skills use one credential name, the second is prefixed with its Skill's slug, so that neither hides the other.
 */
function merged(first: CredentialBinding[], more: CredentialBinding[], slug: string | null): CredentialBinding[] {
  const names = new Set(first.map((one) => one.as));
  return [...first, ...more.map((one) => (names.has(one.as) ? { ...one, as: `${slug}.${one.as}` } : one))];
}

function ofReference(
  reference: string,
  skill: { id: string; slug: string },
  bindings: CredentialBinding[],
  row: TrustedTool | undefined,
): ToolsetTool | null {
  const builtin = builtinOf(reference);
  if (!builtin) return row?.state === 'approved' ? ofRow(row, skill, bindings) : null;
  const { name, title, description, input_schema, grade, idempotent } = builtin;
  const shown = {
    id: reference,
    source: 'builtin' as const,
    name,
    title,
    description,
    input_schema,
    grade,
    idempotent,
    trust: 'untrusted' as const,
    open_world: true,
  };
  const placed = { skill_id: skill.id, skill_slug: skill.slug, model_name: name, credential_bindings: bindings };
  return { ...shown, ...placed, pin: builtinPin(builtin) };
}

function ofRow(
  { id, source, name, definition, grade, idempotent, pin, trust }: TrustedTool,
  skill: { id: string; slug: string } | null,
  bindings: CredentialBinding[],
): ToolsetTool {
  const python = definition?.python;
  return {
    id,
    source,
    name,
    ...(definition?.title ? { title: plainText(definition.title) } : {}),
    description: plainText(definition?.description ?? ''),
    input_schema: plainSchema(definition?.input_schema ?? { type: 'object' }),
    grade,
    idempotent,
    trust,
    open_world: definition?.annotations?.['openWorldHint'] !== false,
    skill_id: skill?.id ?? null,
    skill_slug: skill?.slug ?? null,
    model_name: modelName(skill?.slug ?? agentSlug, name),
    credential_bindings: bindings,
    pin: pin ?? '',
    ...(python
      ? { python: { source: python.source, source_sha256: python.source_sha256, function: python.function } }
      : {}),
  };
}
