import { Caller, type Principal, RequireScopes, TokenOnce } from '#libs/service-kit';
import { Body, Controller, Header, Headers, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ServicePolicy } from '../service-policy/service-policy.js';
import { CredentialDescriber } from './credential-describer.js';
import { CredentialDescriptions, DescribeCredentials, ResolveCredential, ResolveCredentials } from './resolve.dto.js';
import { type ResolvedCredential, ResolveService, type UnresolvedCredential } from './resolve.service.js';

@ApiTags('internal')
@Controller('internal/credentials')
@TokenOnce()
@RequireScopes('service')
export class ResolveController {
  constructor(
    private readonly resolver: ResolveService,
    private readonly describer: CredentialDescriber,
    private readonly policy: ServicePolicy,
  ) {}

  @Post('resolve')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'Values of one credential', operationId: 'resolveCredential' })
  resolve(
    @Caller() caller: Principal,
    @Body() body: ResolveCredential,
    @Headers('cache-control') cacheControl?: string,
  ): Promise<ResolvedCredential> {
    const uncached = cacheControl === 'no-cache';
    return this.resolver.resolve(caller, { ...body, signingOnly: this.check(caller, body) }, uncached);
  }

  @Post('resolve-batch')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'Values of up to 100 credentials of one project', operationId: 'resolveCredentials' })
  async resolveMany(
    @Caller() caller: Principal,
    @Body() body: ResolveCredentials,
  ): Promise<{ data: (ResolvedCredential | UnresolvedCredential)[] }> {
    const asked = body.credentials.map((one) => ({ ...one, signingOnly: this.check(caller, one) }));
    return { data: await this.resolver.resolveMany(caller, asked) };
  }

  @Post('describe')
  @HttpCode(200)
  @ApiOperation({ summary: 'Which fields credentials have, without values', operationId: 'describeCredentials' })
  @ApiOkResponse({ type: CredentialDescriptions })
  async describe(@Caller() caller: Principal, @Body() body: DescribeCredentials): Promise<CredentialDescriptions> {
    this.policy.check(caller, 'bind');
    return { data: await this.describer.describe(caller, body.credential_ids) };
  }

  /** @returns whether only signing fields may leave */
  private check(caller: Principal, { consumer }: ResolveCredential): boolean {
    if (consumer && this.policy.allows(caller, 'resolve_signing', consumer.kind)) {
      return !this.policy.allows(caller, 'resolve', consumer.kind);
    }
    this.policy.check(caller, consumer ? 'resolve' : 'resolve_unbound', consumer?.kind);
    return false;
  }
}
