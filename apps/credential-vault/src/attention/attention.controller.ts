import type { AttentionItem } from '#libs/contracts';
import { Caller, type Principal, Problem, RequireScopes, TokenOnce } from '#libs/service-kit';
import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { AttentionRepository } from './attention.repository.js';

/** For the portal, which merges the reports of all services. */
@ApiExcludeController()
@Controller('internal/attention')
@RequireScopes('service')
@TokenOnce()
export class AttentionController {
  constructor(private readonly attention: AttentionRepository) {}

  @Get()
  async list(@Caller() caller: Principal): Promise<{ data: AttentionItem[] }> {
    if (caller.subject !== 'service:portal') {
      throw new Problem(403, 'not_in_policy', `${caller.subject} may not list the problems of credentials.`);
    }
    return { data: await this.attention.of(caller) };
  }
}
