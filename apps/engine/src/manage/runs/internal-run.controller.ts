import type { TurnRunPayload } from '#libs/contracts';
import { Database } from '#libs/database';
import { Caller, type Principal, RequireScopes, RowNumberPipe, Text } from '#libs/service-kit';
import type { RunDetailView, RunRow } from '#libs/views';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { IsArray } from 'class-validator';
import { sessionTurn } from '../sessions/session-turn.dto.js';
import { discardHeld, releaseHeld } from '../turns/held-turns.js';
import { TurnEnqueuer } from '../../path/turns/start-next.js';
import { TurnRepository } from '../../path/turns/turn.repository.js';
import { RunDetailService } from './run-detail.service.js';
import { RunRepository } from './run.repository.js';
import { RunService } from './run.service.js';

class Accepted {
  @IsArray() turns: TurnRunPayload[];
}

class OfReceipt {
  @Text(100) receipt_id: string;
}

/** When the workflow was released, or its runs discarded. */
class Since {
  @Text(100) at: string;
}

const workflowNumber = new RowNumberPipe('workflow');

/** For the router: the runs that it starts and shows, and those that its workflows hold. */
@ApiExcludeController()
@Controller('internal')
@RequireScopes('service')
export class InternalRunController {
  constructor(
    private readonly db: Database,
    private readonly turns: TurnRepository,
    private readonly enqueuer: TurnEnqueuer,
    private readonly runs: RunRepository,
    private readonly service: RunService,
    private readonly details: RunDetailService,
  ) {}

  /** Stores turns of runs before their jobs arrive. */
  @Post('runs')
  @HttpCode(204)
  async accept(@Body() { turns }: Accepted): Promise<void> {
    await this.turns.accept(turns);
  }

  @Get('runs')
  async ofReceipt(
    @Caller() caller: Principal,
    @Query() query: OfReceipt,
  ): Promise<{ runs: RunRow[]; turns: object[] }> {
    const turns = (await this.runs.turnsOfReceipt(caller, query.receipt_id)).map(sessionTurn);
    return {
      runs: await this.runs.ofReceipt(caller, query.receipt_id),
      turns: turns.map(({ id, state, message_id, run_id, session_id, collected_into }) => {
        return { id, state, message_id, run_id, session_id, collected_into };
      }),
    };
  }

  @Get('runs/:id')
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<RunDetailView> {
    return this.details.of(caller, await this.service.get(caller, id));
  }

  /** Releases turns that a workflow holds. */
  @Post('workflows/:id/release')
  @HttpCode(204)
  async release(
    @Caller() { projectId }: Principal,
    @Param('id', workflowNumber) id: number,
    @Body() { at }: Since,
  ): Promise<void> {
    const turns = await this.db.transaction((tx) => releaseHeld(tx, projectId, id, at));
    this.enqueuer.go({ turns, collected: [] });
  }

  /** Discards turns that a workflow holds. */
  @Post('workflows/:id/discard')
  @HttpCode(200)
  async discard(
    @Caller() { projectId }: Principal,
    @Param('id', workflowNumber) id: number,
    @Body() { at }: Since,
  ): Promise<{ discarded: number }> {
    const turns = await this.db.transaction((tx) => discardHeld(tx, projectId, id, at));
    this.enqueuer.cancelled(turns, 'discarded');
    return { discarded: turns.length };
  }
}
