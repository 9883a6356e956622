import type { Toolset, ToolsetTool } from '#libs/contracts';
import type { ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Agent } from '../agents/agent.entity.js';
import { PYTHON_RUNNER, REGISTRY } from '../services.js';
import type { EngineSettings } from '../settings.js';
import { SETTINGS } from '../settings.js';
import { StepRepository } from '../turns/step.repository.js';
import { ArgumentCheck } from './argument-check.js';
import { CredentialReader } from './bound-credentials.js';
import { BuiltinLibrary } from './builtin/builtin-library.js';
import { readResultTool } from './builtin/read-result.tool.js';
import type { TurnPowers } from './call-check.js';
import { mcpTool } from './registry/mcp-tool.js';
import { pythonTool } from './registry/python-tool.js';
import { ToolsetClient } from './registry/toolset-client.js';
import { exceeds, type Tool, type TurnScope } from './tool.js';

/** Of an outsider's turn, which built-ins may use the Skill's credential: what they read is nobody's. */
const openToOutsiders = ['web_search'];

export interface TurnEquipment {
  powers: TurnPowers;
  skills: Toolset['skills'];
}

/** Puts together what an agent may call in one turn, by its settings and by how far the sender is trusted. */
@Injectable()
export class TurnTools {
  private readonly logger = new Logger('tools');
  private readonly readResult: Tool;

  constructor(
    @Inject(BuiltinLibrary) private readonly library: BuiltinLibrary,
    @Inject(ToolsetClient) private readonly toolsets: ToolsetClient,
    @Inject(CredentialReader) private readonly credentials: CredentialReader,
    @Inject(ArgumentCheck) private readonly check: ArgumentCheck,
    @Inject(REGISTRY) private readonly registry: ServiceClient,
    @Inject(PYTHON_RUNNER) private readonly runner: ServiceClient,
    @Inject(StepRepository) steps: StepRepository,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {
    this.readResult = readResultTool(steps);
  }

  /** @throws ToolsetUnavailable */
  async forTurn(agent: Agent, turn: TurnScope): Promise<TurnEquipment> {
    const { skills, tools, problems } = await this.toolsets.of(agent);
    for (const problem of problems) this.logger.warn({ event: 'skill.unusable', agent: agent.id, ...problem });
    const own = agent.tools.flatMap((name) => this.library.tool(name, name, null, this.credentials.of([])) ?? []);
    const all = [...own, ...tools.flatMap((definition) => this.made(definition, turn) ?? [])];
    const approvers = turn.trusted ? agent.approvers : [];
    const mayDo = turn.trusted ? agent.may_do : 'read';
    const most = approvers.length > 0 ? 'destructive' : mayDo;
    const offered = unique(all).filter((tool) => !exceeds(tool.least, most) && this.check.isUsable(tool.parameters));
    const left = offered.slice(this.settings.TURN_MAX_TOOLS);
    if (left.length > 0)
      this.logger.warn({ event: 'tools.left_out', agent: agent.id, tools: left.map(({ name }) => name) });
    const kept = offered.slice(0, this.settings.TURN_MAX_TOOLS);
    return { skills, powers: { tools: kept.length > 0 ? [...kept, this.readResult] : [], mayDo, approvers } };
  }

  private made(definition: ToolsetTool, turn: TurnScope): Tool | null {
    const { source, name, model_name: modelName, credential_bindings: bindings } = definition;
    if (source === 'builtin') {
      const bound = turn.trusted || openToOutsiders.includes(name) ? bindings : [];
      return this.library.tool(name, modelName, definition.id, this.credentials.of(bound));
    }
    // An outsider is answered from its own conversation: what others' servers and code read is not part of that.
    if (!turn.trusted) return null;
    if (source === 'mcp') return mcpTool(definition, this.registry, this.settings.TOOL_TIMEOUT_MS);
    return pythonTool(definition, this.credentials.of(bindings), {
      runner: this.runner,
      timeoutMs: this.settings.TOOL_TIMEOUT_MS,
      engineUrl: this.settings.ENGINE_URL,
    });
  }
}

/** The first of each name: an agent may have a built-in by itself and by a Skill. */
function unique(tools: Tool[]): Tool[] {
  return [...new Map(tools.toReversed().map((tool) => [tool.name, tool])).values()].toReversed();
}
