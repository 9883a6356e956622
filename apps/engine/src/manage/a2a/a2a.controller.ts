import { AgentCard } from '@a2a-js/sdk';
import { A2A_ERROR_CODE, A2AError, toJsonRpcError } from '@a2a-js/sdk/errors';
import { JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { Caller, goneWith, notFound, type Principal, Problem, PublicRoute, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Get, Header, Inject, Param, Post, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { PublicationRepository } from '../publications/publication.repository.js';
import { A2ACalls } from './a2a-calls.service.js';
import { faultWords, sendUpdates } from './a2a-stream.js';
import { AskedVersion } from './a2a-version.js';
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
    @AskedVersion() requestedVersion: string,
    @Body() body: Record<string, unknown> | null | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const gone = goneWith(reply.raw);
    const requests = await this.calls.open(caller, id, gone.signal);
    try {
      await this.calls.requireVersion(requests, requestedVersion, 'JSONRPC');
    } catch (error) {
      return this.answer(reply, { jsonrpc: '2.0', id: null, error: toJsonRpcError(error) });
    }
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      const error = { code: A2A_ERROR_CODE.INVALID_REQUEST, message: 'The body is no JSON object.' };
      return this.answer(reply, { jsonrpc: '2.0', id: null, error });
    }
    const handler = new JsonRpcTransportHandler(requests);
    const answer = await handler.handle(body, new ServerCallContext({ requestedVersion }));
    if (Symbol.asyncIterator in answer) {
      return this.stream(reply, answer, body['id'], gone);
    }
    return this.answer(reply, answer);
  }

  private async answer(reply: FastifyReply, body: object): Promise<void> {
    await reply.status(200).header('content-type', 'application/json').send(JSON.stringify(body));
  }

  private async stream(
    reply: FastifyReply,
    updates: AsyncGenerator<object, void>,
    id: unknown,
    gone: AbortController,
  ): Promise<void> {
    const failed = (error: object) => ({ jsonrpc: '2.0', id: id ?? null, error });
    const frame = (update: object) => `data: ${JSON.stringify(update)}\n\n`;
    const { EVENT_STREAM_HEARTBEAT_MS: heartbeatMs, EVENT_STREAM_MAX_MS: maxMs } = this.settings;
    const fault = { code: A2A_ERROR_CODE.INTERNAL_ERROR, message: faultWords };
    const shown = {
      frame,
      refusal: (error: unknown) => frame(failed(refusalOf(error))),
      fault: () => frame(failed(fault)),
    };
    try {
      await sendUpdates(reply, updates, shown, { heartbeatMs, maxMs }, gone);
    } catch (error) {
      await this.answer(reply, failed(refusalOf(error)));
    }
  }
}

/** @throws what is no refusal: a fault of ours, whose words are not for callers */
function refusalOf(error: unknown): object {
  const isRefusal = error instanceof A2AError || error instanceof Problem;
  if (!isRefusal) throw error;
  return toJsonRpcError(error);
}
