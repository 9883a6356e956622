import { type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ENGINE } from '../../env.js';

/** Agents that channels and workflows name; the engine owns them. */
@Injectable()
export class NamedAgents {
  private readonly logger = new Logger('named-agents');

  constructor(@Inject(ENGINE) private readonly engine: ServiceClient) {}

  /**
   * Refuses an id that is no agent of the project. When the engine does not answer, rules may still be changed: a turn
   * of a missing agent fails with that reason.
   * @throws Problem 422 `agent_not_found`
   */
  async require(caller: Principal, agentId: string | null | undefined, field = 'agent_id'): Promise<void> {
    if (!agentId) return;
    try {
      await this.engine.get(`/internal/agents/${encodeURIComponent(agentId)}`, caller);
    } catch (error) {
      if (error instanceof Problem && error.code === 'agent_not_found') {
        const message = `There is no agent ${agentId} in this project.`;
        throw new Problem(422, 'agent_not_found', message, [{ field, message }]);
      }
      this.logger.warn({ event: 'agent.unchecked', agent: agentId, error: String(error) });
    }
  }
}
