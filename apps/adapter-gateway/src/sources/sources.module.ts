import { Module } from '@nestjs/common';
import { AdaptersModule } from '../adapters.module.js';
import { AppsModule } from '../apps.module.js';
import { InboundModule } from '../inbound.module.js';
import { KnowledgeFeed } from './knowledge-feed.js';
import { KnowledgeFeedRepository } from './knowledge-feed.repository.js';
import { SourceAdapter } from './source-adapter.js';
import { SourceDocumentController } from './source-document.controller.js';
import { SourceDocumentRepository } from './source-document.repository.js';
import { SourceHints } from './source-hints.js';
import { SourceSyncHandler } from './source-sync.handler.js';
import { SourceSyncs } from './source-syncs.js';
import { SourceController } from './source.controller.js';
import { SourceRepository } from './source.repository.js';
import { SourceService } from './source.service.js';
import { SyncProgressRepository } from './sync-progress.repository.js';
import { SyncRunRepository } from './sync-run.repository.js';
import { Syncer } from './syncer.js';

@Module({
  imports: [AdaptersModule, AppsModule, InboundModule],
  controllers: [SourceDocumentController, SourceController, SourceSyncHandler],
  providers: [
    KnowledgeFeed,
    KnowledgeFeedRepository,
    SourceAdapter,
    SourceDocumentRepository,
    SourceHints,
    SourceRepository,
    SourceService,
    SourceSyncs,
    SyncProgressRepository,
    SyncRunRepository,
    Syncer,
  ],
  exports: [SourceAdapter],
})
export class SourcesModule {}
