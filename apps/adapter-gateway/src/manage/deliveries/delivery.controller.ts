import { laggingPage, SaysBehind } from '#libs/list-reads';
import { Caller, notFound, OneOf, OrderedQuery, type Principal, RequireScopes, Text } from '#libs/service-kit';
import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiExcludeController, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DeliveryRepair } from './delivery-repair.js';
import { ManagedDeliveryRepository } from './managed-delivery.repository.js';
import { WebChatMailRepository } from '../../web-chat/web-chat-mail.repository.js';
import { DeliveryPage, DeliveryView } from './delivery.dto.js';

class DeliveryQuery extends OrderedQuery {
  @OneOf(['queued', 'sending', 'delivered', 'dead', 'unknown', 'expired'], { optional: true }) state?: string;
  @Text(100, { optional: true, description: 'Deliveries that one event led to' }) event_id?: string;
  @Text(100, { optional: true }) app_id?: string;
}

@ApiTags('deliveries')
@Controller('api/v1/deliveries')
export class DeliveryController {
  constructor(
    private readonly deliveries: ManagedDeliveryRepository,
    private readonly repair: DeliveryRepair,
    private readonly mails: WebChatMailRepository,
  ) {}

  @Get()
  @RequireScopes('deliveries:read')
  @ApiOperation({ operationId: 'listDeliveries', summary: 'Deliveries, newest first unless asked otherwise' })
  @ApiOkResponse({ type: DeliveryPage })
  @SaysBehind()
  async list(@Caller() caller: Principal, @Query() query: DeliveryQuery): Promise<DeliveryPage> {
    const { value, behindMs } = await this.deliveries.list(caller, {
      state: query.state ?? null,
      receiptId: query.event_id ?? null,
      appId: query.app_id ?? null,
      cursor: query.cursor ?? null,
      order: query.order,
      limit: query.limit + 1,
    });
    return laggingPage({ value: value.map(DeliveryView.of), behindMs }, query.limit, ({ id }) => id);
  }

  @Get(':id')
  @RequireScopes('deliveries:read')
  @ApiOperation({ operationId: 'getDelivery', summary: 'One delivery' })
  @ApiOkResponse({ type: DeliveryView })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<DeliveryView> {
    const row = await this.deliveries.find(caller.organizationId, caller.projectId, id);
    if (!row) throw notFound('delivery', id);
    return DeliveryView.withMail(row, await this.mails.ofDelivery(row));
  }

  @Post(':id/redrive')
  @HttpCode(202)
  @RequireScopes('deliveries:write')
  @ApiOperation({ operationId: 'redriveDelivery', summary: 'Attempt a waiting, dead, unknown or expired delivery now' })
  @ApiAcceptedResponse({ type: DeliveryView })
  async redrive(@Caller() caller: Principal, @Param('id') id: string): Promise<DeliveryView> {
    return DeliveryView.of(await this.repair.redrive(caller, id));
  }

  @Post(':id/mark-delivered')
  @HttpCode(200)
  @RequireScopes('deliveries:write')
  @ApiOperation({
    operationId: 'markDelivered',
    summary:
      'Say that an unknown delivery, or its part in doubt, has arrived: it is not sent again, parts after it are',
  })
  @ApiOkResponse({ type: DeliveryView })
  async markDelivered(@Caller() caller: Principal, @Param('id') id: string): Promise<DeliveryView> {
    return DeliveryView.of(await this.repair.markDelivered(caller, id));
  }
}

@ApiExcludeController()
@Controller('internal/deliveries')
@RequireScopes('service')
export class InternalDeliveryController {
  constructor(private readonly repair: DeliveryRepair) {}

  /** Redrives the dead delivery behind a dead letter. */
  @Post(':id/redrive')
  @HttpCode(202)
  async redrive(@Caller() caller: Principal, @Param('id') id: string): Promise<DeliveryView> {
    return DeliveryView.of(await this.repair.redrive(caller, id));
  }
}
