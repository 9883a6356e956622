import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Get, Inject, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { type AppView, AppViews } from '../apps/app-views.js';
import { InstallListing } from './listing.dto.js';
import type { Listing } from './listing.js';
import { ListingsService } from './listings.service.js';

@ApiTags('Listings')
@Controller('api/v1/listings')
export class ListingsController {
  constructor(
    @Inject(ListingsService) private readonly listings: ListingsService,
    @Inject(AppViews) private readonly view: AppViews,
  ) {}

  @Get()
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'listListings', summary: 'What can be installed: the Webhook app and every adapter' })
  async list(@Caller() caller: Principal): Promise<{ data: Listing[]; next_cursor: null }> {
    return { data: await this.listings.list(caller), next_cursor: null };
  }

  @Get(':slug')
  @RequireScopes('apps:read')
  @ApiOperation({ operationId: 'getListing', summary: 'One listing with the credentials it needs' })
  get(@Caller() caller: Principal, @Param('slug') slug: string): Promise<Listing> {
    return this.listings.get(caller, slug);
  }

  @Post(':slug/install')
  @RequireScopes('apps:write')
  @ApiOperation({ operationId: 'installListing', summary: 'Install an App; the answer has its webhook URL' })
  async install(
    @Caller() caller: Principal,
    @Param('slug') slug: string,
    @Body() body: InstallListing,
  ): Promise<AppView> {
    return this.view.of(await this.listings.install(caller, slug, body));
  }
}
