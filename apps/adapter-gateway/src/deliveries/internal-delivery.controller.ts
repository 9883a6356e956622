import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { DeliveryRow } from '../entities/delivery.entity.js';
import { DeliveryRedrive } from './delivery-redrive.js';

@ApiExcludeController()
@Controller('internal/deliveries')
@RequireScopes('service')
export class InternalDeliveryController {
  constructor(private readonly redriving: DeliveryRedrive) {}

  /** Redrives the dead delivery behind a dead letter. */
  @Post(':id/redrive')
  @HttpCode(202)
  redrive(@Caller() caller: Principal, @Param('id') id: string): Promise<DeliveryRow> {
    return this.redriving.redrive(caller, id);
  }
}
