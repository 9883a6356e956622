import type { NormalizedMessage, TurnInput, TurnRunPayload } from '#libs/contracts';
import { Database } from '#libs/database';
import { Caller, Flag, keyed, notFound, type Principal, RequireScopes, Text, Whole } from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { TurnHandover } from '../../path/handover/turn-handover.service.js';
import { Rerouter } from './reroute.service.js';
import { type MessageRow, messagesSql, type Packed, unpacked } from '../../entities/message.entity.js';

class RunReplay {
  @Text(200) by: string;
  @Flag() deliver: boolean;
  @Whole(1, 2_147_483_647) workflow_id: number;
  @Text(100) replay_of: string;
  @Text(255, { optional: true, nullable: true }) key?: string | null;
}

/** For the engine: what was handed to it, and what only the router can decide about that. */
@ApiExcludeController()
@Controller('internal')
@RequireScopes('service')
export class HandedTurnController {
  constructor(
    private readonly db: Database,
    private readonly handover: TurnHandover,
    private readonly rerouter: Rerouter,
  ) {}

  /** The input of a turn that was too large for its job. */
  @Get('messages/:message_id/turns/:id')
  async input(
    @Caller() caller: Principal,
    @Param('message_id') messageId: string,
    @Param('id') id: string,
  ): Promise<{ input: TurnInput }> {
    const turn = await this.handover.turn(messageId, id);
    if (!turn?.input || turn.project_id !== caller.projectId) throw notFound('turn', id);
    return { input: turn.input };
  }

  /** Messages that turns worked on and did not keep. @param ids with commas between them */
  @Get('messages')
  async messages(
    @Caller() { organizationId, projectId }: Principal,
    @Query('ids') ids: string,
  ): Promise<{ data: { id: string; message: NormalizedMessage }[] }> {
    const rows = (await this.db.query(
      'SELECT id, message, packed FROM router.message WHERE id = ANY($1) AND organization_id = $2 AND project_id = $3',
      [String(ids).split(','), organizationId, projectId],
    )) as Packed<Pick<MessageRow, 'id' | 'message'>>[];
    return { data: rows.map(unpacked) };
  }

  /** Repeats a run of the message with today's configuration. */
  @Post('messages/:message_id/replay')
  @HttpCode(200)
  async replay(
    @Caller() caller: Principal,
    @Param('message_id') messageId: string,
    @Body() { by, deliver, workflow_id: workflowId, replay_of: replayOf, key }: RunReplay,
  ): Promise<{ turns: TurnRunPayload[]; run_ids: string[] }> {
    const rows = (await this.db.query(`${messagesSql} WHERE id = $1 AND project_id = $2`, [
      messageId,
      caller.projectId,
    ])) as Packed<MessageRow>[];
    const asked = keyed(caller, key ?? null, `run ${replayOf} ${deliver}`);
    const messages = rows.map(unpacked<MessageRow>);
    return this.rerouter.replay({ ...caller, subject: by }, messages, { deliver, workflowId, replayOf }, asked);
  }

  /** Stops collecting messages for a run, because it was cancelled. */
  @Post('debounced/:turn_id/forget')
  @HttpCode(204)
  async forget(@Caller() { projectId }: Principal, @Param('turn_id') turnId: string): Promise<void> {
    await this.db.query(`DELETE FROM router.debounce WHERE turn_id = $1 AND turn ->> 'project_id' = $2`, [
      turnId,
      projectId,
    ]);
  }
}
