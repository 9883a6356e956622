import { toolGrades, type ToolGrade } from '#libs/contracts';
import { notFound, type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { compileSchema } from '#libs/tool-schema';
import { Inject, Injectable } from '@nestjs/common';
import { requireCredentialRights } from '../credentials/may-use-credentials.js';
import type { McpServer } from '../entities/mcp-server.entity.js';
import { ServerRepository } from '../servers/server.repository.js';
import { ENGINE } from '../services.js';
import { builtinOf } from '../tools/tool-view.js';
import type { TryTool } from '../tools/tool.dto.js';
import type { Tool } from '../tools/tool.entity.js';
import { ToolRepository } from '../tools/tool.repository.js';
import type { CallRight, RehearsedHeader, RehearsedRequest, ToolRehearsalView } from './tool-rehearsal.dto.js';
import { TriedSkill } from './tried-skill.js';

type Agents = Pick<ToolRehearsalView, 'agents' | 'more_agents' | 'agents_error'>;
type Refusal = ToolRehearsalView['refused'];

const mostSkills = 50;
const mostProblems = 20;
const masked = '••••••••';

/** Says what a call of a tool by hand would send, and what an agent's call would need. Asks no server and no vault. */
@Injectable()
export class ToolRehearsalService {
  constructor(
    private readonly tools: ToolRepository,
    private readonly servers: ServerRepository,
    private readonly skill: TriedSkill,
    @Inject(ENGINE) private readonly engine: ServiceClient,
  ) {}

  /** @throws Problem as a call of the same would: 404 `tool_not_found`, 409 `built_in`, 422, 403 `scope_missing` */
  async of(caller: Principal, id: string, { arguments: args, skill_id: skillId }: TryTool): Promise<ToolRehearsalView> {
    if (builtinOf(id)) throw new Problem(409, 'built_in', 'Built-in tools can only be called in turns.');
    const tool = await this.tools.find(caller, id);
    if (!tool) throw notFound('tool', id);
    const bindings = skillId === undefined ? [] : await this.skill.credentialsOf(caller, skillId, id);
    const server = tool.server_id === null ? null : await this.servers.find(caller, tool.server_id);
    if (tool.source === 'python' && bindings.length > 0) requireCredentialRights(caller);
    const ofServer = server && server.auth_mode !== 'none' ? server.credential_id : null;
    const named = tool.source === 'python' ? bindings : [];
    return {
      refused: refusalOf(tool, server),
      problems: problemsOf(tool, args),
      request: server && requestOf(server, tool, args),
      credentials: [
        ...(ofServer === null ? [] : [{ credential_id: ofServer, as: null }]),
        ...named.map(({ credential_id, as }) => ({ credential_id, as })),
      ],
      grade: tool.grade,
      ...(await this.agentsOf(caller, tool)),
    };
  }

  private async agentsOf(caller: Principal, { id, grade, source }: Tool): Promise<Agents> {
    const skills = (await this.tools.skillsWith(id)).slice(0, mostSkills).map((skill) => skill.id);
    const query = new URLSearchParams({ skill_ids: skills.join(',') });
    if (source === 'python') query.set('tool_id', id);
    try {
      const { agents, more } = await this.engine.get<{ agents: AgentPower[]; more: number }>(
        `/internal/agents/powers?${query.toString()}`,
        caller,
      );
      const listed = agents.map((agent) => ({ id: agent.id, name: agent.name, call: rightOf(agent, grade) }));
      return { agents: listed, more_agents: more, agents_error: null };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const message = 'The agents that have it could not be read: try again later.';
      return { agents: [], more_agents: 0, agents_error: { code: error.code, message } };
    }
  }
}

/** As the engine answers. */
interface AgentPower {
  id: string;
  name: string;
  may_do: ToolGrade;
  has_approvers: boolean;
}

function rightOf({ may_do: mayDo, has_approvers: hasApprovers }: AgentPower, grade: ToolGrade): CallRight {
  if (toolGrades.indexOf(grade) <= toolGrades.indexOf(mayDo)) return 'alone';
  return hasApprovers ? 'asks' : 'never';
}

/** In the order in which a call is refused. */
function refusalOf({ name, source, state, definition }: Tool, server: McpServer | null): Refusal {
  if (source === 'mcp' && !server) return { code: 'tool_not_found', message: `The MCP server of ${name} is gone.` };
  if (source === 'mcp' && state !== 'approved')
    return { code: 'tool_not_approved', message: `The tool ${name} is ${state}.` };
  if (!definition) return { code: 'tool_not_approved', message: `The tool ${name} has no definition.` };
  return null;
}

function problemsOf({ definition }: Tool, args: Record<string, unknown>): string[] {
  if (!definition) return [];
  try {
    const check = compileSchema(definition.input_schema, true);
    if (check(args)) return [];
    const errors = (check.errors ?? []).slice(0, mostProblems);
    return errors.map(({ instancePath, message = 'is not valid' }) => `${instancePath || 'arguments'} ${message}`);
  } catch (error) {
    // A server's schema may be anything.
    return [
      `The schema of this tool cannot be used: ${error instanceof Error ? error.message.slice(0, 300) : 'it is invalid'}`,
    ];
  }
}

function requestOf(server: McpServer, { definition, name }: Tool, args: Record<string, unknown>): RehearsedRequest {
  const { protocol_version: version } = server;
  return {
    method: 'POST',
    url: server.url,
    headers: [
      { name: 'accept', value: 'application/json, text/event-stream' },
      { name: 'content-type', value: 'application/json' },
      ...(version === null ? [] : [{ name: 'mcp-protocol-version', value: version }]),
      ...authOf(server),
    ],
    body: { jsonrpc: '2.0', method: 'tools/call', params: { name: definition?.name ?? name, arguments: args } },
  };
}

function authOf({ auth_mode: mode, auth_header: header, credential_id: credential }: McpServer): RehearsedHeader[] {
  if (mode === 'none' || credential === null) return [];
  if (mode === 'header') return [{ name: header ?? 'x-api-key', value: masked }];
  return [{ name: 'authorization', value: `Bearer ${masked}` }];
}
