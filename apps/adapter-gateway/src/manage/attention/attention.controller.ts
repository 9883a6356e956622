import type { AttentionItem } from '#libs/contracts';
import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { AttentionService } from './attention.service.js';

/** For the portal, which combines the items of all services. */
@ApiExcludeController()
@Controller('internal/attention')
@RequireScopes('service')
export class AttentionController {
  constructor(private readonly attention: AttentionService) {}

  @Get()
  async list(@Caller() caller: Principal): Promise<{ data: AttentionItem[] }> {
    return { data: await this.attention.of(caller) };
  }
}
