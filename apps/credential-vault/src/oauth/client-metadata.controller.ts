import { Problem, PublicRoute } from '#libs/service-kit';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ClientMetadata } from './client-metadata.js';
import { ClientMetadataView } from './connect.dto.js';

const slugPattern = /^[a-z0-9][a-z0-9-]{0,63}$/;

@ApiTags('oauth')
@Controller('api/v1/oauth/clients')
@PublicRoute()
export class ClientMetadataController {
  constructor(private readonly documents: ClientMetadata) {}

  @Get(':slug')
  @ApiOperation({ summary: 'Client metadata of Gatehouse, for providers', operationId: 'getClientMetadata' })
  @ApiOkResponse({ type: ClientMetadataView })
  get(@Param('slug') slug: string): ClientMetadataView {
    if (slugPattern.test(slug)) return this.documents.documentOf(slug);
    throw new Problem(404, 'client_not_found', 'No provider has this redirect URI.');
  }
}
