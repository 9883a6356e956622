import type { OAuthConfig } from '#libs/adapter-sdk';
import { Caller, notFound, type Principal, RequireScopes, Text } from '#libs/service-kit';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdapterRepository } from './adapter.repository.js';

class OAuthProviderQuery {
  @Text(100, { minLength: 1 }) organization_id: string;
}

/** The OAuth flow that the manifest in force declares; a version that waits for approval has no effect. */
@ApiTags('internal')
@Controller('internal/oauth-providers')
@RequireScopes('service')
export class OAuthProviderController {
  constructor(private readonly adapters: AdapterRepository) {}

  @Get(':slug')
  @ApiOperation({ operationId: 'getOAuthProvider', summary: 'The approved OAuth configuration of an adapter' })
  async get(
    @Caller() caller: Principal,
    @Param('slug') slug: string,
    @Query() { organization_id: organizationId }: OAuthProviderQuery,
  ): Promise<{ slug: string; manifest_version: number; oauth_config: OAuthConfig }> {
    if (caller.organizationId !== '' && caller.organizationId !== organizationId)
      throw notFound('oauth_provider', slug);
    const row = caller.projectId
      ? await this.adapters.findBySlug({ organizationId, projectId: caller.projectId }, slug)
      : await this.adapters.findInOrganization(organizationId, slug);
    const config = row?.manifest.oauth_config;
    if (!row || !config) throw notFound('oauth_provider', slug);
    return { slug: row.slug, manifest_version: row.manifest_version, oauth_config: config };
  }
}
