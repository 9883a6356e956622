import { rowsBodyBytes } from '#libs/project-rows';
import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RouteConfig } from '@nestjs/platform-fastify';
import {
  ArrivalCheckView,
  ArrivalKeyView,
  AskRows,
  BeginMove,
  CheckArrival,
  GiveRows,
  MoveView,
  ReceiveMove,
  RowsView,
  StoredView,
  SwitchedView,
} from './move.dto.js';
import { MoveService } from './move.service.js';

/** For `gatehouse move`, which asks the installation that a project leaves, and the one where it arrives. */
@ApiTags('moves')
@Controller('api/v1/moves')
@RequireScopes('admin')
export class MoveController {
  constructor(private readonly moves: MoveService) {}

  @Get('key')
  @ApiOperation({ operationId: 'getArrivalKey', summary: 'For whom other vaults seal what moves here' })
  @ApiOkResponse({ type: ArrivalKeyView })
  key(@Caller() caller: Principal): Promise<ArrivalKeyView> {
    return this.moves.key(caller);
  }

  @Get(':id')
  @ApiOperation({ operationId: 'getMove', summary: 'How far a project has moved, and what of it there is to move' })
  @ApiOkResponse({ type: MoveView })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<MoveView> {
    return this.moves.show(caller, id);
  }

  @Post()
  @HttpCode(200)
  @ApiOperation({
    operationId: 'beginMove',
    summary: 'Close and hold a project that is to leave: nothing of it begins here any more, and its webhooks wait',
  })
  @ApiOkResponse({ type: MoveView })
  async begin(@Caller() caller: Principal, @Body() { project_id: id, to }: BeginMove): Promise<MoveView> {
    await this.moves.begin(caller, id, to);
    return this.moves.show(caller, id);
  }

  @Post('arrivals')
  @HttpCode(200)
  @ApiOperation({ operationId: 'receiveMove', summary: 'Hold a place for a project that is to arrive' })
  @ApiOkResponse({ type: MoveView })
  async receive(@Caller() caller: Principal, @Body() body: ReceiveMove): Promise<MoveView> {
    await this.moves.receive(caller, body);
    return this.moves.show(caller, body.project_id);
  }

  @Post('arrivals/check')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'checkArrival',
    summary: 'Whether a project may arrive: refused as `receiveMove` would be, and nothing is changed',
  })
  @ApiOkResponse({ type: ArrivalCheckView })
  async check(@Caller() caller: Principal, @Body() body: CheckArrival): Promise<ArrivalCheckView> {
    const held = await this.moves.checkArrival(caller, body);
    return { comes_back: held?.state === 'left' };
  }

  @Post(':id/pages')
  @HttpCode(200)
  @ApiOperation({ operationId: 'readMovedRows', summary: 'Read rows of a project that is leaving' })
  @ApiOkResponse({ type: RowsView })
  page(@Caller() caller: Principal, @Param('id') id: string, @Body() asked: AskRows): Promise<RowsView> {
    return this.moves.page(caller, id, asked);
  }

  @Post(':id/rows')
  @HttpCode(200)
  @RouteConfig({ bodyLimit: rowsBodyBytes })
  @ApiOperation({ operationId: 'storeMovedRows', summary: 'Store rows of a project that is arriving' })
  @ApiOkResponse({ type: StoredView })
  async store(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() { service, table, columns, rows }: GiveRows,
  ): Promise<StoredView> {
    await this.moves.store(caller, id, service, table, { columns, rows });
    return { stored: rows.length };
  }

  @Post(':id/switch')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'switchMove',
    summary: 'End the move on this side: the project has left, or it is opened here. The first cannot be undone',
  })
  @ApiOkResponse({ type: SwitchedView })
  switch(@Caller() caller: Principal, @Param('id') id: string): Promise<SwitchedView> {
    return this.moves.switch(caller, id);
  }

  @Post(':id/abort')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'giveUpMove',
    summary: 'Where a project leaves: it stays. It cannot be switched from now on, so what has arrived may be deleted',
  })
  @ApiOkResponse({ type: MoveView })
  async giveUp(@Caller() caller: Principal, @Param('id') id: string): Promise<MoveView> {
    await this.moves.giveUp(caller, id);
    return this.moves.show(caller, id);
  }

  @Post(':id/end')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'endHandingOn',
    summary:
      'Refuse webhooks of a project that has left, from now on: nobody sends here any longer. Asked again, it says when the ' +
      'last one is handed on',
  })
  @ApiOkResponse({ type: MoveView })
  async end(@Caller() caller: Principal, @Param('id') id: string): Promise<MoveView> {
    await this.moves.endHere(caller, id);
    return this.moves.show(caller, id);
  }

  @Delete(':id/peer')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'revokePeer',
    summary: 'Take no more webhooks from the installation from which a project has come',
  })
  @ApiNoContentResponse()
  revokePeer(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    return this.moves.revokePeer(caller, id);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'abortMove',
    summary: 'End an abort on this side: work goes on here, once the move was given up, or what has arrived is deleted',
  })
  @ApiNoContentResponse()
  abort(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    return this.moves.abort(caller, id);
  }
}
