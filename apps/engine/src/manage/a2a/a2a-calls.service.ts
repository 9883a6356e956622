import { validateVersion } from '@a2a-js/sdk/server';
import { notFound, type Principal } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { PublicationRepository } from '../publications/publication.repository.js';
import { AgentTasks } from '../tasks/agent-tasks.service.js';
import { TaskFollowers } from '../tasks/task-followers.service.js';
import { TaskPushRepository } from '../tasks/task-push.repository.js';
import { TaskRepository } from '../tasks/task.repository.js';
import { A2ARequests } from './a2a-requests.js';
import { AgentCards, type Binding } from './agent-card.js';
import { SealedSecrets } from './push-secrets.js';

/** What one caller may ask one agent, whichever binding it speaks. */
@Injectable()
export class A2ACalls {
  constructor(
    private readonly publications: PublicationRepository,
    private readonly cards: AgentCards,
    private readonly tasks: AgentTasks,
    private readonly rows: TaskRepository,
    private readonly followers: TaskFollowers,
    private readonly pushes: TaskPushRepository,
    private readonly secrets: SealedSecrets,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /**
   * @param gone aborts when the client leaves
   * @throws Problem 404 for an agent that is not published here
   */
  async open(caller: Principal, agentId: string, gone: AbortSignal): Promise<A2ARequests> {
    const agent = await this.publications.followed(caller, agentId);
    if (!agent) throw notFound('agent', agentId);
    const { tasks, rows, followers, pushes, secrets } = this;
    const parts = { tasks, rows, followers, pushes, secrets, pushesAtMost: this.settings.TASK_PUSHES };
    return new A2ARequests(parts, caller, agentId, this.cards.of(agent), gone);
  }

  /** @throws VersionNotSupportedError */
  async requireVersion(requests: A2ARequests, version: string, binding: Binding): Promise<void> {
    validateVersion(version, await requests.getAgentCard(), binding);
  }
}
