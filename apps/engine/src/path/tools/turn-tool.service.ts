import { type LeftOutTool, scopeOf, type ToolGrade, type Toolset, type ToolsetTool } from '#libs/contracts';
import type { ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Agent, AgentGrant } from '../../entities/agent.entity.js';
import { type EngineSettings, PYTHON_RUNNER, SETTINGS } from '../../settings.js';
import { AgentCalls } from '../calls/agent-call.repository.js';
import { StepRepository } from '../steps/step.repository.js';
import { agentTool } from './agent-tool.js';
import { ArgumentCheck } from './argument-check.js';
import { CredentialReader, digestOf } from './bound-credentials.js';
import { BuiltinLibrary, findToolsTool, readResultTool } from './builtin/builtin-library.js';
import { leftOut, OfferedTools, sift, type TurnPowers } from './turn-powers.js';
import { mcpTool, pythonTool, ToolsetClient } from './registry/registry-tool.js';
import { exceeds, MCP_CALLS, type McpCalls, type Tool, type TurnScope } from './tool.js';
import { isPerson } from '../../entities/approval.entity.js';

/** The part of a turn that decides which tools it gets. */
type Trust = Pick<TurnScope, 'trusted' | 'trust' | 'startedBy' | 'calledBy'>;

/** Built-ins that may use the Skill's credential in an untrusted sender's turn, since what they read is public. */
const openToUntrusted = ['web_search'];

const turnsOf: Record<SenderKind, Trust> = {
  admitted: { trusted: true, trust: 'known', startedBy: [], calledBy: null },
  unknown: { trusted: false, trust: 'unknown', startedBy: [], calledBy: null },
  unsigned: { trusted: false, trust: 'known', startedBy: [], calledBy: null },
};

const remedies: Record<SenderKind, string> = {
  admitted: '',
  unknown: 'Not for a sender who is not an admitted contact: admit the contact.',
  unsigned: 'Not for an event whose system was not authenticated: have the App require a signature.',
};

/** What an agent has besides its built-in tools. */
interface Given {
  toolset: Toolset;
  /** Other agents. */
  asked: Tool[];
}

export interface TurnEquipment {
  powers: TurnPowers;
  skills: Toolset['skills'];
  /** Hosts that the Skills bind credentials to. They count as named by the agent. */
  hosts: string[];
  /** It has a memory of contacts. */
  remembers: boolean;
}

/** A sender, as a turn's tools depend on it. */
export const senderKinds = ['admitted', 'unknown', 'unsigned'] as const;
export type SenderKind = (typeof senderKinds)[number];

/** What untrusted senders' turns have of a tool that an admitted sender's turn has. */
export const untrustedUses = ['yes', 'without_credentials', 'no'] as const;
type UntrustedUse = (typeof untrustedUses)[number];

/** An agent's tools in the turns of one kind of sender, for its page. */
export interface ToolOverview {
  /** Shown in every step. */
  offered: (Tool & { forUntrusted: UntrustedUse })[];
  /** Beyond the number that a model is shown; it finds them by `find_tools`. */
  searched: Tool[];
  leftOut: LeftOutTool[];
  /** Sentences about Skills that cannot be used now. */
  problems: string[];
}

/** Assembles what an agent may call in one turn, from its settings and from how far the sender is trusted. */
@Injectable()
export class TurnToolService {
  private readonly logger = new Logger('tools');
  private readonly readResult: Tool;

  constructor(
    private readonly library: BuiltinLibrary,
    private readonly toolsets: ToolsetClient,
    private readonly credentials: CredentialReader,
    private readonly check: ArgumentCheck,
    @Inject(MCP_CALLS) private readonly mcpCalls: McpCalls,
    @Inject(PYTHON_RUNNER) private readonly runner: ServiceClient,
    private readonly steps: StepRepository,
    private readonly calls: AgentCalls,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {
    this.readResult = readResultTool(steps);
  }

  /** @param named hosts that a trusted sender named @throws ToolsetUnavailable */
  async forTurn(agent: Agent, turn: Trust, named: string[]): Promise<TurnEquipment> {
    const [toolset, asked] = await Promise.all([this.toolsets.of(agent), this.agentsOf(agent, turn)]);
    for (const problem of toolset.problems) this.logger.warn({ event: 'skill.unusable', agent: agent.id, ...problem });
    const approvers = turn.trusted ? agent.approvers : [];
    const most = turn.calledBy?.mayDo ?? 'destructive';
    const mayDo = turn.trusted ? lower(agent.may_do, most) : 'read';
    const nobody = nobodyDecides(agent, turn);
    const { usable } = this.sifted(agent, { toolset, asked: asked.tools }, turn, mayDo, nobody === null ? most : mayDo);
    const { direct, searched } = this.split(usable);
    const extra = searched.length > 0 ? [findToolsTool(searched), this.readResult] : [this.readResult];
    const tools = new OfferedTools(usable.length > 0 ? [...direct, ...extra] : [], searched, this.room);
    const hosts = [...new Set([...agent.allowed_hosts, ...boundHosts(toolset)])];
    return {
      skills: toolset.skills,
      hosts,
      remembers: [...agent.tools, ...toolset.tools.filter(isBuiltin).map(({ name }) => name)].includes('remember'),
      powers: {
        tools,
        mayDo,
        most,
        approvers,
        nobody,
        withheld: this.withheld(agent, { toolset, asked: asked.tools }, turn, usable),
        hosts: [...hosts, ...named],
      },
    };
  }

  /** @throws ToolsetUnavailable */
  async overview(agent: Agent, sender: SenderKind): Promise<ToolOverview> {
    const [toolset, asked] = await Promise.all([this.toolsets.of(agent), this.agentsOf(agent, turnsOf.admitted)]);
    const given = { toolset, asked: asked.tools };
    const withApproval = agent.approvers.length > 0 ? 'destructive' : agent.may_do;
    const most = this.sifted(agent, given, turnsOf.admitted, agent.may_do, withApproval);
    const untrusted = this.sifted(agent, given, turnsOf.unsigned, 'read', 'read');
    const left = new Set(untrusted.usable.map(({ name }) => name));
    const { usable } = sender === 'admitted' ? most : untrusted;
    const { direct, searched } = this.split(usable);
    const withheld = sender === 'admitted' ? [] : most.usable.filter(({ name }) => !left.has(name));
    return {
      offered: direct.map((tool) => ({
        ...tool,
        forUntrusted: left.has(tool.name) ? this.untrustedUse(tool, toolset) : 'no',
      })),
      searched,
      leftOut: [
        ...withheld.map((tool) => leftOut(tool, { reason: 'not_for_sender', what_to_do: remedies[sender] })),
        ...toolset.left_out,
        ...most.leftOut,
        ...asked.leftOut,
      ],
      problems: toolset.problems.map(({ message }) => message),
    };
  }

  private untrustedUse(tool: Tool, { tools }: Toolset): UntrustedUse {
    const definition = tools.find(({ id }) => id === tool.id);
    const binds = definition !== undefined && definition.credential_bindings.length > 0;
    return binds && !openToUntrusted.includes(definition.name) ? 'without_credentials' : 'yes';
  }

  private sifted(agent: Agent, { toolset, asked }: Given, turn: Trust, mayDo: ToolGrade, most: ToolGrade) {
    const own = agent.tools.flatMap((name) => this.library.tool(name, name, null, this.credentials.of([])) ?? []);
    const all = [...own, ...asked, ...toolset.tools.flatMap((definition) => this.made(definition, turn) ?? [])];
    return sift(all, { mayDo, most, check: this.check });
  }

  /** The other agents that a turn may ask: none that waits for it already, and none from `AGENT_CALL_DEPTH` on. */
  private async agentsOf(agent: Agent, { calledBy }: Trust): Promise<{ tools: Tool[]; leftOut: LeftOutTool[] }> {
    const waiting = [...(calledBy?.agents ?? []), agent.id];
    if (waiting.length > this.settings.AGENT_CALL_DEPTH) return { tools: [], leftOut: [] };
    const grants = agent.agents.filter(({ agent_id: id }) => !waiting.includes(id));
    const found = await this.calls.named(
      scopeOf(agent),
      grants.map(({ agent_id: id }) => id),
    );
    const isKnown = (grant: AgentGrant): boolean => found.some(({ id }) => id === grant.agent_id);
    const reason = { reason: 'agent_not_found', what_to_do: 'The agent was deleted: take it from the list.' } as const;
    return {
      tools: grants.filter(isKnown).map((grant) => agentTool(grant, this.calls)),
      leftOut: grants
        .filter((grant) => !isKnown(grant))
        .map(({ name, agent_id: id }) => leftOut({ id, name, skill: null }, reason)),
    };
  }

  /** What a trusted sender's turn would have at once, and this one does not. */
  private withheld(agent: Agent, given: Given, turn: Trust, usable: Tool[]): TurnPowers['withheld'] {
    if (turn.trusted) return null;
    const most = agent.approvers.length > 0 ? 'destructive' : agent.may_do;
    const trusted = this.sifted(agent, given, { ...turn, trusted: true }, agent.may_do, most);
    const has = new Set(usable.map((tool) => tool.name));
    const names = this.split(trusted.usable).direct.flatMap(({ name }) => (has.has(name) ? [] : [name]));
    return names.length === 0 ? null : { names, why: distrustOf(turn) };
  }

  /** Over the limit, some places are reserved for tools that searches find. */
  private split(usable: Tool[]): { direct: Tool[]; searched: Tool[] } {
    const { TURN_MAX_TOOLS: most } = this.settings;
    if (usable.length <= most) return { direct: usable, searched: [] };
    const at = most - this.room;
    return { direct: usable.slice(0, at), searched: usable.slice(at) };
  }

  private get room(): number {
    const { TURN_MAX_TOOLS: most, TURN_FOUND_TOOLS: found } = this.settings;
    return Math.max(1, Math.min(found, Math.floor(most / 2)));
  }

  private made(definition: ToolsetTool, turn: Trust): Tool | null {
    const { source, name, model_name: modelName, credential_bindings: bindings, skill_slug: slug } = definition;
    if (source === 'builtin') {
      const withheld = turn.trusted || openToUntrusted.includes(name) ? null : noCredentialFor(turn);
      const credentials = this.credentials.of(bindings, bindings.length > 0 ? withheld : null);
      return this.library.tool(name, modelName, { toolId: definition.id, slug }, credentials);
    }
    // An untrusted sender's turn uses only its own conversation, not what other servers and code read.
    if (!turn.trusted) return null;
    if (source === 'mcp') return mcpTool(definition, this.mcpCalls);
    return pythonTool(definition, this.credentials.of(bindings), {
      runner: this.runner,
      timeoutMs: this.settings.TOOL_TIMEOUT_MS,
      engineUrl: this.settings.ENGINE_URL,
      hasAsked: (token) => this.steps.hasCalledBack(digestOf(token)),
      noteTokens: (token, given) => this.steps.noteTokens(digestOf(token), given),
    });
  }
}

/** Why nobody may decide over what a turn asks for, in words; null: somebody may. A wait for nobody would only expire. */
function nobodyDecides({ approvers, approvers_decide_own: decideOwn }: Agent, turn: Trust): string | null {
  if (!turn.trusted) return 'nobody is asked for an event like this';
  if (approvers.length === 0) return 'the agent names no approvers';
  const others = approvers.filter((one) => !turn.startedBy.includes(one) || (decideOwn && isPerson(one)));
  if (others.length > 0) return null;
  return (
    `its approvers (${approvers.join(', ')}) started this turn themselves: name another one, ` +
    'or let approvers decide over their own turns'
  );
}

const isBuiltin = ({ source }: ToolsetTool): boolean => source === 'builtin';

function lower(one: ToolGrade, other: ToolGrade): ToolGrade {
  return exceeds(one, other) ? other : one;
}

/** Hosts to which the project itself lets credentials go. */
function boundHosts({ tools }: Toolset): string[] {
  return tools.flatMap(({ credential_bindings: bindings }) => bindings.flatMap(({ hosts = [] }) => hosts));
}

/** Why an untrusted sender's turn may not use the Skill's credentials. */
function noCredentialFor(turn: Trust): string {
  return `This event may not use the credentials of the Skill: ${distrustOf(turn)}.`;
}

function distrustOf({ trust }: Trust): string {
  return trust === 'unknown'
    ? 'its sender is not an admitted contact'
    : 'the system that the event came from was not authenticated';
}
