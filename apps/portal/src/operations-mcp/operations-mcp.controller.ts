import { answerMcp } from '#libs/mcp-endpoint';
import { Caller, type Principal, RequireScopes, type ServiceClient } from '#libs/service-kit';
import { All, Body, Controller, Inject, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SeenAttention } from '../attention/seen-attention.js';
import { operationsMcp } from '../proxy/route-table.js';
import { ROUTER } from '../services.js';
import { type PortalSettings, SETTINGS } from '../settings.js';
import { operationsServer } from './operations-tools.js';

/** Longer than the router is waited for. */
const limits = { keepAliveMs: 15_000, endsAfterMs: 30_000 };

/** An MCP server for an operator's assistant: what came in, and what became of it. It changes nothing. */
@ApiExcludeController()
@Controller(operationsMcp)
export class OperationsMcpController {
  constructor(
    @Inject(ROUTER) private readonly router: ServiceClient,
    private readonly attention: SeenAttention,
    @Inject(SETTINGS) private readonly settings: PortalSettings,
  ) {}

  @All()
  @RequireScopes('events:read')
  async serve(
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Body() body: Record<string, unknown> | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    // The router checks the caller's own scopes, and answers of its project alone.
    const [router, attention] = [this.router.as(caller), () => this.attention.of(caller)];
    const mostChars = this.settings.OPERATIONS_ANSWER_CHARS;
    await answerMcp({ request, body, reply }, limits, (gone) =>
      operationsServer({ router, gone, attention }, mostChars),
    );
  }
}
