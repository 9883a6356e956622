import type { LeftOutToolView } from '#libs/views';
import { Inject, Injectable } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { ToolsetUnavailable } from '../../path/tools/registry/registry-tool.js';
import { leftOut } from '../../path/tools/turn-powers.js';
import type { Tool } from '../../path/tools/tool.js';
import { type SenderKind, TurnToolService } from '../../path/tools/turn-tool.service.js';
import { type AgentToolsetView, offeredView } from './agent-toolset.dto.js';
import type { Agent } from '../../entities/agent.entity.js';

/** An agent's toolset after a change of one of its Skills or tools. */
export interface AgentEffect {
  id: string;
  name: string;
  offered: number;
  by_search: number;
  /** The first few. */
  left_out: LeftOutToolView[];
  left_out_total: number;
  error: AgentToolsetView['error'];
}

const shownLeftOut = 50;

/** Reports which tools agents' models get, and which they do not. */
@Injectable()
export class AgentToolsetService {
  constructor(
    private readonly tools: TurnToolService,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** If the registry does not answer, `error` says so and the agent is still shown. */
  async of(agent: Agent, sender: SenderKind = 'admitted'): Promise<AgentToolsetView> {
    try {
      const { offered, searched, leftOut, problems } = await this.tools.overview(agent, sender);
      const by_search = searched.map((tool) => this.overLimit(tool));
      return { offered: offered.map(offeredView), by_search, left_out: leftOut, problems, error: null };
    } catch (error) {
      if (!(error instanceof ToolsetUnavailable)) throw error;
      const message = 'The tool registry does not answer, so the tools of Skills are unknown. Try again later.';
      return { offered: [], by_search: [], left_out: [], problems: [], error: { code: error.code, message } };
    }
  }

  async effectOn(agent: Agent): Promise<AgentEffect> {
    const { offered, by_search, left_out, error } = await this.of(agent);
    return {
      id: agent.id,
      name: agent.name,
      offered: offered.length,
      by_search: by_search.length,
      left_out: left_out.slice(0, shownLeftOut),
      left_out_total: left_out.length,
      error,
    };
  }

  private overLimit(tool: Tool): LeftOutToolView {
    const most = this.settings.TURN_MAX_TOOLS;
    const what = `A model is given ${most} tools at once (TURN_MAX_TOOLS). It finds this one with find_tools. To list it directly, remove other tools.`;
    return leftOut(tool, { reason: 'over_limit', what_to_do: what });
  }
}
