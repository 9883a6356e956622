import { Module } from '@nestjs/common';
import { DocumentRepository } from './document.repository.js';
import { EntityDirectory } from './entity-directory.repository.js';
import { EntityController } from './entity.controller.js';
import { GraphRepository } from './graph.repository.js';
import { KnowledgeController } from './knowledge.controller.js';
import { SyncedDocumentController } from './synced-document.controller.js';
import { SyncedDocumentRepository } from './synced-document.repository.js';

@Module({
  controllers: [EntityController, KnowledgeController, SyncedDocumentController],
  providers: [DocumentRepository, EntityDirectory, GraphRepository, SyncedDocumentRepository],
  exports: [DocumentRepository, GraphRepository],
})
export class KnowledgeModule {}
