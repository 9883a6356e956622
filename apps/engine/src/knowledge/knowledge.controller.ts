import type { DocumentAccess } from '#libs/contracts';
import { Caller, notFound, pageOf, type Principal, Problem, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type EngineSettings, SETTINGS } from '../settings.js';
import { DocumentRepository } from './document.repository.js';
import { DocumentSearch } from './document-search.repository.js';
import {
  accessIn,
  DocumentPage,
  DocumentQuery,
  documentView,
  DocumentView,
  DocumentWithText,
  FoundChunks,
  SearchQuery,
  SetAccess,
  UploadDocument,
} from './knowledge.dto.js';

@ApiTags('knowledge')
@Controller('api/v1/knowledge')
export class KnowledgeController {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly found: DocumentSearch,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  @Get()
  @RequireScopes('knowledge:read')
  @ApiOperation({ summary: 'List documents', operationId: 'listDocuments' })
  @ApiOkResponse({ type: DocumentPage })
  async list(@Caller() caller: Principal, @Query() query: DocumentQuery): Promise<DocumentPage> {
    const rows = await this.documents.list(caller, query);
    const { data, next_cursor } = pageOf(rows, query.limit, (row) => row.id);
    return { data: data.map(documentView), next_cursor };
  }

  @Post()
  @RequireScopes('knowledge:write')
  @ApiOperation({
    summary: 'Add a document; the same text for the same readers returns the document that has it',
    operationId: 'addDocument',
  })
  @ApiCreatedResponse({ type: DocumentView })
  async add(@Caller() caller: Principal, @Body() body: UploadDocument): Promise<DocumentView> {
    const most = this.settings.DOCUMENT_MAX_CHARS;
    if (body.text.length > most) {
      throw new Problem(413, 'document_too_large', `A document has at most ${most} characters: add it in parts.`);
    }
    const { language } = body;
    const access = accessIn({ audience: body.audience ?? 'known', readers: body.readers ?? [] });
    const facts = { entities: body.entities ?? [], relations: body.relations ?? [] };
    const { id, isNew } = await this.documents.store(
      caller,
      {
        title: body.title.replaceAll('\0', '\ufffd').toWellFormed(),
        content: body.text.replaceAll('\0', '\ufffd').toWellFormed(),
        source: 'upload',
        uri: body.uri ?? null,
        trust: 'owner',
        ...access,
        provenance: { ...body.provenance, by: caller.subject, ...(language === undefined ? {} : { language }) },
        ...(language === undefined ? {} : { language }),
      },
      facts,
    );
    const document = await this.read(caller, id, 0);
    if (!isNew && !isSameAccess(document, access)) {
      const kept = `The project has this text as the document ${id}, for the audience ${document.audience}`;
      const asked = `${access.audience}${access.readers.length > 0 ? ' with these readers' : ''}`;
      const detail = `${kept} and not for ${asked}: set who may read it with PATCH /api/v1/knowledge/${id}.`;
      throw new Problem(409, 'document_access_differs', detail);
    }
    return documentView(document);
  }

  @Get('search')
  @RequireScopes('knowledge:read')
  @ApiOperation({
    summary: 'Search documents by words, and by meaning where a model is chosen',
    operationId: 'searchDocuments',
  })
  @ApiOkResponse({ type: FoundChunks })
  async search(@Caller() caller: Principal, @Query() query: SearchQuery): Promise<FoundChunks> {
    const { found, note } = await this.found.search(caller, { reader: null, payer: null }, query.q, query.limit);
    return { data: found, note };
  }

  @Get(':id')
  @RequireScopes('knowledge:read')
  @ApiOperation({ summary: 'Read a document', operationId: 'getDocument' })
  @ApiOkResponse({ type: DocumentWithText })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<DocumentWithText> {
    const found = await this.read(caller, id, this.settings.DOCUMENT_MAX_CHARS);
    return { ...documentView(found), text: found.text };
  }

  @Patch(':id')
  @RequireScopes('knowledge:write')
  @ApiOperation({
    summary: 'Set who may be answered from a document that no source keeps',
    operationId: 'setDocumentAccess',
  })
  @ApiOkResponse({ type: DocumentView })
  async setAccess(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: SetAccess,
  ): Promise<DocumentView> {
    const set = await this.documents.setAccess(caller, id, accessIn(body));
    if (set === null) throw notFound('document', id);
    if (set === 'of_source') {
      const detail = 'A source keeps this document: who may read it is set there, by the source or its provider.';
      throw new Problem(409, 'document_of_source', detail);
    }
    return documentView(await this.read(caller, id, 0));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('knowledge:write')
  @ApiOperation({ summary: 'Delete a document and the facts that it stated', operationId: 'deleteDocument' })
  @ApiNoContentResponse()
  async delete(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    if (!(await this.documents.delete(caller, id))) throw notFound('document', id);
  }

  private async read(caller: Principal, id: string, chars: number) {
    const found = await this.documents.read(caller, null, { id, title: null }, 0, chars);
    if (!found) throw notFound('document', id);
    return found;
  }
}

function isSameAccess(one: DocumentAccess, other: DocumentAccess): boolean {
  if (one.audience !== other.audience) return false;
  const readers = new Set([...one.readers, ...other.readers]);
  return readers.size === one.readers.length && readers.size === other.readers.length;
}
