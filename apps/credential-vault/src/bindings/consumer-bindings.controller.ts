import { Caller, type Principal, Problem, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Delete, HttpCode, Inject, Param, Put, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ServicePolicy } from '../service-policy/service-policy.js';
import { BindConsumer, type BindingView, UnbindQuery } from './binding.dto.js';
import { BindingService } from './binding.service.js';
import { type ConsumerKind, consumerKinds } from './credential-binding.entity.js';

/** Bindings that services keep for the Apps, Skills and MCP servers they look after. */
@ApiTags('internal')
@Controller('internal/bindings')
@RequireScopes('service')
export class ConsumerBindingsController {
  constructor(
    @Inject(BindingService) private readonly bindings: BindingService,
    @Inject(ServicePolicy) private readonly policy: ServicePolicy,
  ) {}

  @Put()
  @ApiOperation({ summary: 'Bind a consumer to a credential', operationId: 'bindConsumer' })
  bind(@Caller() caller: Principal, @Body() body: BindConsumer): Promise<BindingView> {
    this.policy.check(caller, 'bind', body.consumer.kind);
    return this.bindings.bind(caller, body);
  }

  @Delete(':kind/:id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Let go of what services bound for a consumer', operationId: 'unbindConsumer' })
  async unbind(
    @Caller() caller: Principal,
    @Param('kind') kind: string,
    @Param('id') id: string,
    @Query() { credential_id: credentialId }: UnbindQuery,
  ): Promise<void> {
    if (!isKind(kind)) throw new Problem(404, 'consumer_kind_unknown', `A consumer is ${consumerKinds.join(', ')}.`);
    this.policy.check(caller, 'bind', kind);
    await this.bindings.unbind(caller, kind, id, credentialId);
  }
}

function isKind(kind: string): kind is ConsumerKind {
  return (consumerKinds as readonly string[]).includes(kind);
}
