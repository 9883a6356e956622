import { Caller, type Principal, Problem, RequireScopes, TokenOnce } from '#libs/service-kit';
import { Body, Controller, Delete, HttpCode, Param, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ServicePolicy } from '../service-policy/service-policy.js';
import { BindConsumer, BindConsumerToAll, type BindingView, UnbindQuery, UnknownCredentials } from './binding.dto.js';
import { BindingService } from './binding.service.js';
import { type ConsumerKind, consumerKinds } from '../credential-store/credential-binding.entity.js';

/** Bindings that services maintain for the Apps, Skills and MCP servers that they manage. */
@ApiTags('internal')
@Controller('internal/bindings')
@TokenOnce()
@RequireScopes('service')
export class ConsumerBindingController {
  constructor(
    private readonly bindings: BindingService,
    private readonly policy: ServicePolicy,
  ) {}

  @Put()
  @ApiOperation({ summary: 'Bind a consumer to a credential', operationId: 'bindConsumer' })
  bind(@Caller() caller: Principal, @Body() body: BindConsumer): Promise<BindingView> {
    this.policy.check(caller, 'bind', body.consumer.kind);
    return this.bindings.bind(caller, body);
  }

  @Put(':kind/:id')
  @ApiOperation({ summary: 'Bind a consumer to exactly these credentials', operationId: 'bindConsumerToAll' })
  @ApiOkResponse({ type: UnknownCredentials })
  bindAll(
    @Caller() caller: Principal,
    @Param('kind') kind: string,
    @Param('id') id: string,
    @Body() { credentials }: BindConsumerToAll,
  ): Promise<UnknownCredentials> {
    return this.bindings.bindAll(caller, this.allowed(caller, kind), id, credentials);
  }

  @Delete(':kind/:id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Remove the bindings that services made for a consumer', operationId: 'unbindConsumer' })
  async unbind(
    @Caller() caller: Principal,
    @Param('kind') kind: string,
    @Param('id') id: string,
    @Query() { credential_id: credentialId }: UnbindQuery,
  ): Promise<void> {
    await this.bindings.unbind(caller, this.allowed(caller, kind), id, credentialId);
  }

  /** @throws Problem 404 `consumer_kind_unknown`, 403 `not_in_policy` */
  private allowed(caller: Principal, kind: string): ConsumerKind {
    if (!isKind(kind))
      throw new Problem(404, 'consumer_kind_unknown', `A consumer must be one of ${consumerKinds.join(', ')}.`);
    this.policy.check(caller, 'bind', kind);
    return kind;
  }
}

function isKind(kind: string): kind is ConsumerKind {
  return (consumerKinds as readonly string[]).includes(kind);
}
