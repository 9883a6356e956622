import type { Endpoint } from '#libs/contracts';
import { RequireScopes } from '#libs/service-kit';
import { Controller, Get, Inject, ParseIntPipe, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { AppRepository } from './app.repository.js';
import { endpointOf } from './endpoint-projection.js';
import { InstalledApps } from './installed-apps.js';

const pageSize = 1_000;

/** The endpoints that changed after a version, for the ingress. */
@ApiExcludeController()
@Controller('internal/endpoints')
@RequireScopes('service')
export class EndpointsController {
  constructor(
    @Inject(AppRepository) private readonly apps: AppRepository,
    @Inject(InstalledApps) private readonly installed: InstalledApps,
  ) {}

  @Get()
  async changed(@Query('after', ParseIntPipe) after: number): Promise<{ endpoints: Endpoint[] }> {
    const apps = await this.apps.changedAfter(after, pageSize);
    const endpoints = apps.map(async (app) => {
      const adapter = app.kind === 'adapter' ? (await this.installed.get(app.id)).adapter : null;
      return endpointOf(app, adapter?.manifest ?? null);
    });
    return { endpoints: await Promise.all(endpoints) };
  }
}
