import { rowsBodyBytes } from '#libs/project-rows';
import { Caller, type Principal, Problem, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { RouteConfig } from '@nestjs/platform-fastify';
import { HandedOnDead, HandedOnEnds, HandedOnQuery, HandedOnReceipts } from './handed-on.dto.js';
import type { WaitingReceipts } from './handed-on.repository.js';
import { HandedOnService } from './handed-on.service.js';

/** For the portal, which hands on the webhooks of projects that have left, and receives those of projects that came. */
@ApiExcludeController()
@Controller('internal/handed-on')
@RequireScopes('service')
export class HandedOnController {
  constructor(private readonly receipts: HandedOnService) {}

  @Get()
  waiting(@Caller() caller: Principal): Promise<WaitingReceipts> {
    refuseOthers(caller);
    return this.receipts.waiting(caller);
  }

  @Get('receipts')
  async next(@Caller() caller: Principal, @Query() { limit }: HandedOnQuery): Promise<HandedOnReceipts> {
    refuseOthers(caller);
    return { receipts: await this.receipts.next(caller, limit) };
  }

  @Post('ends')
  @HttpCode(204)
  async end(@Caller() caller: Principal, @Body() { ids, to }: HandedOnEnds): Promise<void> {
    refuseOthers(caller);
    await this.receipts.end(caller, ids, to);
  }

  @Post('dead-letters')
  @HttpCode(204)
  async deadLetter(@Caller() caller: Principal, @Body() dead: HandedOnDead): Promise<void> {
    refuseOthers(caller);
    await this.receipts.deadLetter(caller, dead);
  }

  @Post('receipts')
  @HttpCode(204)
  @RouteConfig({ bodyLimit: rowsBodyBytes })
  async take(@Caller() caller: Principal, @Body() { receipts }: HandedOnReceipts): Promise<void> {
    refuseOthers(caller);
    await this.receipts.take(caller, receipts);
  }
}

/** Of the services only the portal knows who hands on. */
function refuseOthers({ subject }: Principal): void {
  if (subject !== 'service:portal') throw new Problem(403, 'not_the_portal', `${subject} may not hand on receipts.`);
}
