import type { Endpoint } from '#libs/contracts';
import { RequireScopes } from '#libs/service-kit';
import { Controller, Get, ParseIntPipe, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { AdapterRepository } from '../adapters/adapter.repository.js';
import { AppRepository } from './app.repository.js';
import { endpointOf } from './endpoint-projection.js';

const pageSize = 1_000;

/** The endpoints that changed after a version, for the ingress. */
@ApiExcludeController()
@Controller('internal/endpoints')
@RequireScopes('service')
export class EndpointController {
  constructor(
    private readonly apps: AppRepository,
    private readonly adapters: AdapterRepository,
  ) {}

  @Get()
  async changed(@Query('after', ParseIntPipe) after: number): Promise<{ endpoints: Endpoint[] }> {
    const apps = await this.apps.changedAfter(after, pageSize);
    // Read past any cache: the ingress does not ask again for a version that it has taken.
    const ids = [...new Set(apps.flatMap((app) => app.adapter_id ?? []))];
    const adapters = new Map((await this.adapters.byIds(ids)).map((row) => [row.id, row]));
    return { endpoints: apps.map((app) => endpointOf(app, adapters.get(app.adapter_id ?? '') ?? null)) };
  }
}
