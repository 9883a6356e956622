import { answerMcp } from '#libs/mcp-endpoint';
import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { All, Body, Controller, Inject, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { PublicationRepository } from '../publications/publication.repository.js';
import { AgentTasks } from '../tasks/agent-tasks.service.js';
import { TaskFollowers } from '../tasks/task-followers.service.js';
import { TaskRepository } from '../tasks/task.repository.js';
import { askServer } from './ask-tools.js';

/** An MCP server of the project whose key is shown: its published agents are the tools. */
@ApiExcludeController()
@Controller('mcp')
export class McpController {
  constructor(
    private readonly publications: PublicationRepository,
    private readonly tasks: AgentTasks,
    private readonly followers: TaskFollowers,
    private readonly rows: TaskRepository,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  @All()
  @RequireScopes('agents:ask')
  async serve(
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Body() body: Record<string, unknown> | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { EVENT_STREAM_HEARTBEAT_MS: keepAliveMs, EVENT_STREAM_MAX_MS, TASK_WAIT_MS } = this.settings;
    // Later than a call that waits is answered: one that is cut off would be asked again.
    const limits = { keepAliveMs, endsAfterMs: Math.max(EVENT_STREAM_MAX_MS, 2 * TASK_WAIT_MS) };
    const parts = { tasks: this.tasks, followers: this.followers, rows: this.rows };
    await answerMcp({ request, body, reply }, limits, async (gone) =>
      askServer(parts, caller, await this.publications.of(caller), gone),
    );
  }
}
