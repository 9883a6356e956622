import { rowsBodyBytes } from '#libs/project-rows';
import { PublicRoute } from '#libs/service-kit';
import { Body, Controller, Headers, HttpCode, Param, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RouteConfig } from '@nestjs/platform-fastify';
import { HandedOn } from './handed-on.js';
import { HandOnReceipts } from './move.dto.js';

/** For another installation, which proves itself with the key that it gave when the project came from it. */
@ApiTags('moves')
@Controller('api/v1/moves')
@PublicRoute()
export class HandedOnController {
  constructor(private readonly handedOn: HandedOn) {}

  @Post(':id/receipts')
  @HttpCode(204)
  @RouteConfig({ bodyLimit: rowsBodyBytes })
  @ApiOperation({
    operationId: 'takeHandedOnReceipts',
    summary: 'Take webhooks that still came to the installation from which a project has moved here',
  })
  @ApiNoContentResponse()
  take(
    @Headers('authorization') authorization: string | undefined,
    @Param('id') id: string,
    @Body() { receipts }: HandOnReceipts,
  ): Promise<void> {
    return this.handedOn.take(id, authorization, { receipts });
  }
}
