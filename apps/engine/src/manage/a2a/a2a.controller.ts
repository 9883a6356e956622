import { AgentCard } from '@a2a-js/sdk';
import { toJsonRpcError } from '@a2a-js/sdk/errors';
import { JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { Caller, goneWith, notFound, type Principal, PublicRoute, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Get, Header, Headers, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { PublicationRepository } from '../publications/publication.repository.js';
import { A2ACalls, oldestVersion } from './a2a-calls.service.js';
import { sendUpdates } from './a2a-stream.js';
import { AgentCards } from './agent-card.js';
import { AgentKeys } from './agent-keys.js';

/** Published agents for clients of A2A 1.0: their cards, and calls by its JSON-RPC binding. */
@ApiExcludeController()
@Controller('a2a')
export class A2AController {
  constructor(
    private readonly publications: PublicationRepository,
    private readonly cards: AgentCards,
    private readonly keys: AgentKeys,
    private readonly calls: A2ACalls,
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
    const requests = await this.calls.open(caller, id, gone.signal);
    const requestedVersion = version ?? versionInQuery ?? oldestVersion;
    try {
      await this.calls.requireVersion(requests, requestedVersion, 'JSONRPC');
    } catch (error) {
      return this.answer(reply, { jsonrpc: '2.0', id: null, error: toJsonRpcError(error) });
    }
    const handler = new JsonRpcTransportHandler(requests);
    const answer = await handler.handle(body, new ServerCallContext({ requestedVersion }));
    if (Symbol.asyncIterator in answer) return this.stream(reply, answer, body, gone);
    return this.answer(reply, answer);
  }

  private async answer(reply: FastifyReply, body: object): Promise<void> {
    await reply.status(200).header('content-type', 'application/json').send(JSON.stringify(body));
  }

  private async stream(
    reply: FastifyReply,
    updates: AsyncGenerator<object, void>,
    asked: Record<string, unknown>,
    gone: AbortController,
  ): Promise<void> {
    const failed = (error: unknown) => ({ jsonrpc: '2.0', id: asked['id'] ?? null, error: toJsonRpcError(error) });
    const frame = (update: object) => `data: ${JSON.stringify(update)}\n\n`;
    const { EVENT_STREAM_HEARTBEAT_MS: heartbeatMs, EVENT_STREAM_MAX_MS: maxMs } = this.settings;
    const shown = { frame, failure: (error: unknown) => frame(failed(error)) };
    try {
      await sendUpdates(reply, updates, shown, { heartbeatMs, maxMs }, gone);
    } catch (error) {
      await this.answer(reply, failed(error));
    }
  }
}
