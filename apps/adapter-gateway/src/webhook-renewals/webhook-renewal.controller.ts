import { Caller, type Principal, Problem, RequireScopes } from '#libs/service-kit';
import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AppService } from '../manage/apps/app.service.js';
import { WebhookRenewalRepository } from './webhook-renewal.repository.js';
import { WebhookRenewalView } from './webhook-renewal.dto.js';

@ApiTags('apps')
@Controller('api/v1/apps/:id/webhook-renewal')
export class WebhookRenewalController {
  constructor(
    private readonly apps: AppService,
    private readonly renewals: WebhookRenewalRepository,
  ) {}

  @Get()
  @RequireScopes('apps:read')
  @ApiOperation({
    operationId: 'getWebhookRenewal',
    summary: "State of the webhook's renewal at the provider: last try, expiry, last error",
  })
  @ApiOkResponse({ type: WebhookRenewalView })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<WebhookRenewalView> {
    await this.apps.get(caller, id);
    const row = await this.renewals.byApp(id);
    if (!row) throw nothingToRenew();
    return row;
  }

  @Post()
  @HttpCode(202)
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'renewWebhook', summary: 'Renew the webhook at the next sweep' })
  @ApiAcceptedResponse({ type: WebhookRenewalView })
  async hasten(@Caller() caller: Principal, @Param('id') id: string): Promise<WebhookRenewalView> {
    await this.apps.get(caller, id);
    if (!(await this.renewals.hasten(id))) throw nothingToRenew();
    return this.get(caller, id);
  }
}

function nothingToRenew(): Problem {
  return new Problem(404, 'webhook_renewal_not_found', 'The webhook of this App does not need to be renewed.');
}
