import { AgentCard } from '@a2a-js/sdk';
import { JsonRpcTransportHandler, ServerCallContext, validateVersion } from '@a2a-js/sdk/server';
import { toJsonRpcError } from '@a2a-js/sdk/errors';
import { Caller, EventStream, goneWith, notFound, type Principal, PublicRoute, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Get, Header, Headers, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { PublicationRepository } from '../publications/publication.repository.js';
import { AgentTasks } from '../tasks/agent-tasks.service.js';
import { TaskFollowers } from '../tasks/task-followers.service.js';
import { TaskPushRepository } from '../tasks/task-push.repository.js';
import { TaskRepository } from '../tasks/task.repository.js';
import { A2ARequests } from './a2a-requests.js';
import { AgentCards } from './agent-card.js';
import { AgentKeys } from './agent-keys.js';
import { SealedSecrets } from './push-secrets.js';

/** Of a request that names none: clients of 0.3 do not know the header (A2A 1.0, 3.6.2). */
const oldest = '0.3';

/** Published agents for clients of A2A 1.0, by its JSON-RPC binding. */
@ApiExcludeController()
@Controller('a2a')
export class A2AController {
  constructor(
    private readonly publications: PublicationRepository,
    private readonly cards: AgentCards,
    private readonly keys: AgentKeys,
    private readonly tasks: AgentTasks,
    private readonly rows: TaskRepository,
    private readonly followers: TaskFollowers,
    private readonly pushes: TaskPushRepository,
    private readonly secrets: SealedSecrets,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  @Get('jwks.json')
  @PublicRoute()
  @Header('cache-control', 'public, max-age=300')
  jwks(): Promise<object> {
    return this.keys.jwks;
  }

  @Get(':agent/.well-known/agent-card.json')
  @PublicRoute()
  @Header('cache-control', 'public, max-age=60')
  async card(@Param('agent') id: string): Promise<unknown> {
    const agent = await this.publications.card(id);
    if (!agent) throw notFound('agent', id);
    return AgentCard.toJSON(await this.cards.signed(agent));
  }

  @Post(':agent')
  @RequireScopes('agents:ask')
  async call(
    @Caller() caller: Principal,
    @Param('agent') id: string,
    @Headers('a2a-version') version: string | undefined,
    @Query('A2A-Version') versionInQuery: string | undefined,
    @Body() body: Record<string, unknown>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const gone = goneWith(reply.raw);
    const agent = await this.publications.followed(caller, id);
    if (!agent) throw notFound('agent', id);
    const card = this.cards.of(agent);
    const requestedVersion = version ?? versionInQuery ?? oldest;
    try {
      validateVersion(requestedVersion, card, 'JSONRPC');
    } catch (error) {
      return this.answer(reply, { jsonrpc: '2.0', id: null, error: toJsonRpcError(error) });
    }
    const { tasks, rows, followers, pushes, secrets } = this;
    const parts = { tasks, rows, followers, pushes, secrets, pushesAtMost: this.settings.TASK_PUSHES };
    const handler = new JsonRpcTransportHandler(new A2ARequests(parts, caller, id, card, gone.signal));
    const answer = await handler.handle(body, new ServerCallContext({ requestedVersion }));
    if (Symbol.asyncIterator in answer) return this.stream(reply, answer, body, gone);
    return this.answer(reply, answer);
  }

  private async answer(reply: FastifyReply, body: object): Promise<void> {
    await reply.status(200).header('content-type', 'application/json').send(JSON.stringify(body));
  }

  /** A stream that fails before its first word is answered as any call. */
  private async stream(
    reply: FastifyReply,
    updates: AsyncGenerator<object, void>,
    asked: Record<string, unknown>,
    gone: AbortController,
  ): Promise<void> {
    const failed = (error: unknown) => ({ jsonrpc: '2.0', id: asked['id'] ?? null, error: toJsonRpcError(error) });
    let first;
    try {
      first = await updates.next();
    } catch (error) {
      return this.answer(reply, failed(error));
    }
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value);
    const { EVENT_STREAM_HEARTBEAT_MS: heartbeatMs, EVENT_STREAM_MAX_MS: maxMs } = this.settings;
    const stream = new EventStream(reply.raw, { heartbeatMs, maxMs }, () => gone.abort());
    try {
      for (let next = first; !next.done; next = await updates.next())
        stream.write(`data: ${JSON.stringify(next.value)}\n\n`);
    } catch (error) {
      stream.write(`data: ${JSON.stringify(failed(error))}\n\n`);
    }
    stream.end();
  }
}
