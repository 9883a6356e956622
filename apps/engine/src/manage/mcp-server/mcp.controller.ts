import { createMcpHandler } from '@modelcontextprotocol/server';
import { Caller, goneWith, type Principal, RequireScopes } from '#libs/service-kit';
import { All, Body, Controller, Inject, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { PublicationRepository } from '../publications/publication.repository.js';
import { AgentTasks } from '../tasks/agent-tasks.service.js';
import { TaskFollowers } from '../tasks/task-followers.service.js';
import { askServer } from './ask-tools.js';

/**
 * An MCP server of the project whose key is shown, by streamable HTTP: revision 2026-07-28, and earlier ones by
 * `initialize`. It keeps no sessions, so any replica answers any request.
 */
@ApiExcludeController()
@Controller('mcp')
export class McpController {
  constructor(
    private readonly publications: PublicationRepository,
    private readonly tasks: AgentTasks,
    private readonly followers: TaskFollowers,
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
    const gone = goneWith(reply.raw);
    const { EVENT_STREAM_MAX_MS, TASK_WAIT_MS } = this.settings;
    // Later than a call that waits is answered: one that is cut off would be asked again.
    const ending = setTimeout(() => gone.abort(), Math.max(EVENT_STREAM_MAX_MS, 2 * TASK_WAIT_MS));
    const handler = createMcpHandler(
      async () =>
        askServer(
          { tasks: this.tasks, followers: this.followers },
          caller,
          await this.publications.of(caller),
          gone.signal,
        ),
      { keepAliveMs: this.settings.EVENT_STREAM_HEARTBEAT_MS },
    );
    try {
      const parsed = body === undefined || body === null ? {} : { parsedBody: body };
      const answer = await handler.fetch(webRequest(request, body, gone.signal), parsed);
      await send(reply, answer);
    } finally {
      clearTimeout(ending);
      await handler.close();
    }
  }
}

function webRequest({ method, headers, url }: FastifyRequest, body: unknown, signal: AbortSignal): Request {
  const kept = Object.entries(headers).filter(([name]) => name !== 'content-length' && name !== 'authorization');
  return new Request(new URL(url, 'http://engine'), {
    method,
    headers: kept.map(([name, value]): [string, string] => [name, String(value)]),
    signal,
    ...(method === 'POST' ? { body: JSON.stringify(body ?? null) } : {}),
  });
}

async function send(reply: FastifyReply, answer: Response): Promise<void> {
  void reply.status(answer.status).headers(Object.fromEntries(answer.headers));
  if (answer.body === null) await reply.send();
  else await reply.send(Readable.fromWeb(answer.body as ReadableStream));
}
