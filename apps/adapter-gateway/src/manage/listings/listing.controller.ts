import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AppViews } from '../apps/app-views.js';
import { InstallListing, ListingPage, ListingView } from './listing.dto.js';
import { ListingService } from './listing.service.js';
import { AppView } from '../apps/app-view.dto.js';
import { senderViews, WebhookSenderPage } from './webhook-sender.dto.js';

@ApiTags('listings')
@Controller('api/v1/listings')
export class ListingController {
  constructor(
    private readonly listings: ListingService,
    private readonly view: AppViews,
  ) {}

  @Get()
  @RequireScopes('apps:read')
  @ApiOperation({
    operationId: 'listListings',
    summary: 'What can be installed: the Webhook app, registered adapters and those that are shipped',
  })
  @ApiOkResponse({ type: ListingPage })
  async list(@Caller() caller: Principal): Promise<ListingPage> {
    return { data: await this.listings.list(caller), next_cursor: null };
  }

  @Get('webhook/senders')
  @RequireScopes('apps:read')
  @ApiOperation({
    operationId: 'listWebhookSenders',
    summary: 'Well-known senders that the Webhook app can be set up for',
  })
  @ApiOkResponse({ type: WebhookSenderPage })
  senders(): WebhookSenderPage {
    return { data: senderViews, next_cursor: null };
  }

  @Get(':slug')
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'getListing', summary: 'One listing with the credentials it needs' })
  @ApiOkResponse({ type: ListingView })
  get(@Caller() caller: Principal, @Param('slug') slug: string): Promise<ListingView> {
    return this.listings.get(caller, slug);
  }

  @Post(':slug/install')
  @RequireScopes('apps:write')
  @ApiOperation({
    operationId: 'installListing',
    summary: 'Install an App, and register its adapter where that is shipped; the answer has its webhook URL',
  })
  @ApiCreatedResponse({ type: AppView })
  async install(
    @Caller() caller: Principal,
    @Param('slug') slug: string,
    @Body() body: InstallListing,
  ): Promise<AppView> {
    return this.view.of(await this.listings.install(caller, slug, body), caller);
  }
}
