import type { ProjectScope } from '#libs/contracts';
import type { ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { ENGINE } from '../services.js';

export interface AgentUser {
  id: string;
  name: string;
}

/** Finds the agents that have a Skill or a Python tool. The engine owns agents, so it is asked. */
@Injectable()
export class AgentUsage {
  constructor(@Inject(ENGINE) private readonly engine: ServiceClient) {}

  /** @throws Problem 503 when the engine does not answer */
  async of(scope: ProjectScope, what: 'skill' | 'tool', id: string): Promise<AgentUser[]> {
    const path = `/internal/agents/using?${what}_id=${encodeURIComponent(id)}`;
    return (await this.engine.get<{ agents: AgentUser[] }>(path, scope)).agents;
  }
}
