import { Caller, type Principal, RequireScopes, Whole } from '#libs/service-kit';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { type MessageRates, MessageRatesService } from './message-rates.service.js';

class RatesQuery {
  @Type(() => Number) @Whole(1, 120) minutes: number;
}

/** For the portal, whose alert rules have bounds on them. */
@ApiExcludeController()
@Controller('internal/message-rates')
@RequireScopes('service')
export class MessageRatesController {
  constructor(private readonly rates: MessageRatesService) {}

  @Get()
  read(@Caller() caller: Principal, @Query() { minutes }: RatesQuery): Promise<MessageRates> {
    return this.rates.of(caller, minutes);
  }
}
