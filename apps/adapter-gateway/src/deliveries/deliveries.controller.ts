import {
  Caller,
  notFound,
  OneOf,
  type Page,
  pageOf,
  PageQuery,
  type Principal,
  RequireScopes,
  Text,
} from '#libs/service-kit';
import { Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { DeliveryRow } from './delivery.entity.js';
import { DeliveryMarking } from './delivery-marking.js';
import { DeliveryRedrive } from './delivery-redrive.js';
import { DeliveryRepository } from './delivery.repository.js';

class DeliveryQuery extends PageQuery {
  @OneOf(['queued', 'sending', 'delivered', 'dead', 'unknown'], { optional: true }) state?: string;
  @Text(100, { optional: true, description: 'Deliveries that one event led to' }) event_id?: string;
}

@ApiTags('Deliveries')
@Controller('api/v1/deliveries')
export class DeliveriesController {
  constructor(
    @Inject(DeliveryRepository) private readonly deliveries: DeliveryRepository,
    @Inject(DeliveryRedrive) private readonly redriving: DeliveryRedrive,
    @Inject(DeliveryMarking) private readonly marking: DeliveryMarking,
  ) {}

  @Get()
  @RequireScopes('deliveries:read')
  @ApiOperation({ operationId: 'listDeliveries', summary: 'Deliveries, newest first' })
  async list(@Caller() caller: Principal, @Query() query: DeliveryQuery): Promise<Page<DeliveryRow>> {
    const rows = await this.deliveries.list(caller.organizationId, caller.projectId, {
      state: query.state ?? null,
      receiptId: query.event_id ?? null,
      cursor: query.cursor ?? null,
      limit: query.limit + 1,
    });
    return pageOf(rows, query.limit, (row) => row.id);
  }

  @Get(':id')
  @RequireScopes('deliveries:read')
  @ApiOperation({ operationId: 'getDelivery', summary: 'One delivery' })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<DeliveryRow> {
    const row = await this.deliveries.find(caller.organizationId, caller.projectId, id);
    if (!row) throw notFound('delivery', id);
    return row;
  }

  @Post(':id/redrive')
  @HttpCode(202)
  @RequireScopes('deliveries:write')
  @ApiOperation({ operationId: 'redriveDelivery', summary: 'Attempt a dead or unknown delivery again' })
  redrive(@Caller() caller: Principal, @Param('id') id: string): Promise<DeliveryRow> {
    return this.redriving.redrive(caller, id);
  }

  @Post(':id/mark-delivered')
  @HttpCode(200)
  @RequireScopes('deliveries:write')
  @ApiOperation({
    operationId: 'markDelivered',
    summary: 'Say that an unknown delivery has arrived, so that it is not attempted again',
  })
  markDelivered(@Caller() caller: Principal, @Param('id') id: string): Promise<DeliveryRow> {
    return this.marking.delivered(caller, id);
  }
}
