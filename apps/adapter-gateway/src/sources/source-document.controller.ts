import { Caller, notFound, pageOf, type Principal, Problem, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Header, Param, Query, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { DocumentQuery } from './source.dto.js';
import { SourceDocumentRepository } from './source-document.repository.js';
import { SourceService } from './source.service.js';
import { SourceDocumentPage, SourceDocumentView } from './source-view.dto.js';

@ApiTags('sources')
@Controller('api/v1/sources/:id/documents')
@RequireScopes('apps:read')
export class SourceDocumentController {
  constructor(
    private readonly sources: SourceService,
    private readonly documents: SourceDocumentRepository,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listSourceDocuments',
    summary: 'Documents of a source by path, including removed ones',
  })
  @ApiOkResponse({ type: SourceDocumentPage })
  async list(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: DocumentQuery,
  ): Promise<SourceDocumentPage> {
    await this.sources.get(caller, id);
    const rows = await this.documents.list(id, {
      state: query.state ?? null,
      prefix: query.prefix ?? null,
      cursor: query.cursor ?? null,
      limit: query.limit + 1,
    });
    return pageOf(rows, query.limit, (row) => row.path);
  }

  @Get(':documentId')
  @ApiOperation({ operationId: 'getSourceDocument', summary: 'One document: fingerprint, size, origin' })
  @ApiOkResponse({ type: SourceDocumentView })
  async get(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('documentId') documentId: string,
  ): Promise<SourceDocumentView> {
    await this.sources.get(caller, id);
    const row = await this.documents.find(id, documentId);
    if (!row) throw notFound('source_document', documentId);
    return row;
  }

  /** Documents are untrusted: no browser may show one as a page of this origin. */
  @Get(':documentId/content')
  @Header('x-content-type-options', 'nosniff')
  @Header('content-security-policy', "default-src 'none'; sandbox")
  @Header('content-disposition', 'attachment')
  @ApiOperation({ operationId: 'readSourceDocument', summary: 'The content of a document' })
  @ApiProduces('application/octet-stream')
  @ApiOkResponse({
    description: 'The content, with its own content type',
    schema: { type: 'string', format: 'binary' },
  })
  async read(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('documentId') documentId: string,
  ): Promise<StreamableFile> {
    await this.sources.get(caller, id);
    const row = await this.documents.findWithContent(id, documentId);
    if (!row) throw notFound('source_document', documentId);
    if (!row.content) throw new Problem(410, 'source_document_removed', `${row.path} was removed at its source.`);
    return new StreamableFile(row.content, { type: row.content_type, length: row.size });
  }
}
