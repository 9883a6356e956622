import { Module } from '@nestjs/common';
import { DocumentsModule } from '../documents/documents.module.js';
import { ModelModule } from '../path/model/model.module.js';
import { ProviderAccessModule } from '../path/providers/provider-access.module.js';
import { UsageModule } from '../usage.module.js';
import { ChunkIndexing } from './chunk-indexing.service.js';
import { DocumentRepository } from './document.repository.js';
import { DocumentSearch, MEANING } from './document-search.repository.js';
import { EntityDirectory } from './entity-directory.repository.js';
import { EntityController } from './entity.controller.js';
import { GraphRepository } from './graph.repository.js';
import { KnowledgeController } from './knowledge.controller.js';
import { ChunkEmbedding } from './meaning/chunk-embedding.service.js';
import { ChunkVectorRepository } from './meaning/chunk-vector.repository.js';
import { Embedder } from './meaning/embedder.js';
import { EmbeddingAccount } from './meaning/embedding-account.service.js';
import { EmbeddingUsageRepository } from './meaning/embedding-usage.repository.js';
import { EmbeddingModelRepository } from './meaning/embedding-model.repository.js';
import { MeaningController } from './meaning/meaning.controller.js';
import { MeaningService } from './meaning/meaning.service.js';
import { SyncedDocumentController } from './synced-document.controller.js';
import { SyncedDocumentRepository } from './synced-document.repository.js';

@Module({
  imports: [DocumentsModule, ModelModule, ProviderAccessModule, UsageModule],
  controllers: [EntityController, MeaningController, KnowledgeController, SyncedDocumentController],
  providers: [
    ChunkEmbedding,
    ChunkIndexing,
    ChunkVectorRepository,
    DocumentRepository,
    DocumentSearch,
    Embedder,
    EmbeddingAccount,
    EmbeddingModelRepository,
    EmbeddingUsageRepository,
    EntityDirectory,
    GraphRepository,
    MeaningService,
    { provide: MEANING, useExisting: MeaningService },
    SyncedDocumentRepository,
  ],
  exports: [DocumentRepository, DocumentSearch, EmbeddingModelRepository, GraphRepository],
})
export class KnowledgeModule {}
