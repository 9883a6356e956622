import { JobClient, type RedisState } from '#libs/queue';
import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { RequireScopes } from './principal.js';

/** For the portal's attention list: each service has a Redis user of its own, so each may have a trouble of its own. */
@ApiExcludeController()
@Controller('internal/redis')
@RequireScopes('service')
export class RedisController {
  constructor(private readonly jobs: JobClient) {}

  @Get()
  state(): { trouble: RedisState | null } {
    return { trouble: this.jobs.health.state() };
  }
}
