import { Caller, type Principal, RequireScopes, Text, Whole } from '#libs/service-kit';
import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type TurnRedrive, TurnRedriveService } from './turn-redrive.service.js';

class Redrive {
  @Whole(0, 1_000_000) done: number;
  /** Absent from a router of an earlier release. */
  @Text(200, { optional: true }) by?: string;
}

/** For the router: dead letters of turns. */
@ApiExcludeController()
@Controller('internal/turns')
@RequireScopes('service')
export class InternalTurnController {
  constructor(private readonly redrives: TurnRedriveService) {}

  @Post(':id/redrive')
  @HttpCode(200)
  redrive(@Caller() caller: Principal, @Param('id') id: string, @Body() { done, by }: Redrive): Promise<TurnRedrive> {
    return this.redrives.drive(caller, id, done, by ?? null);
  }
}
