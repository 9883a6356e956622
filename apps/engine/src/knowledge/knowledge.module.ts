import { Module } from '@nestjs/common';
import { DocumentsModule } from '../documents/documents.module.js';
import { ChunkIndexing } from './chunk-indexing.service.js';
import { DocumentRepository } from './document.repository.js';
import { DocumentSearch } from './document-search.repository.js';
import { EntityDirectory } from './entity-directory.repository.js';
import { EntityController } from './entity.controller.js';
import { GraphRepository } from './graph.repository.js';
import { KnowledgeController } from './knowledge.controller.js';
import { SyncedDocumentController } from './synced-document.controller.js';
import { SyncedDocumentRepository } from './synced-document.repository.js';

@Module({
  imports: [DocumentsModule],
  controllers: [EntityController, KnowledgeController, SyncedDocumentController],
  providers: [
    ChunkIndexing,
    DocumentRepository,
    DocumentSearch,
    EntityDirectory,
    GraphRepository,
    SyncedDocumentRepository,
  ],
  exports: [DocumentRepository, DocumentSearch, GraphRepository],
})
export class KnowledgeModule {}
