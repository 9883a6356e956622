import type { Egress } from '#libs/egress';
import { ServiceClient } from '#libs/service-kit';
import { Module } from '@nestjs/common';
import { DocumentReader } from '../../documents/document-reader.service.js';
import { DocumentsModule } from '../../documents/documents.module.js';
import { DocumentRepository } from '../../knowledge/document.repository.js';
import { DocumentSearch } from '../../knowledge/document-search.repository.js';
import { GraphRepository } from '../../knowledge/graph.repository.js';
import { queryKnowledgeGraph, readFile, storeKnowledge } from './builtin/knowledge-tools.js';
import { KnowledgeModule } from '../../knowledge/knowledge.module.js';
import { EGRESS, type EngineSettings, GATEWAY, SETTINGS } from '../../settings.js';
import { CallsModule } from '../calls/calls.module.js';
import { StepsModule } from '../../steps.module.js';
import { ContactMemories } from '../memories/contact-memory.repository.js';
import { MemoriesModule } from '../memories/memories.module.js';
import { ArgumentCheck } from './argument-check.js';
import { CredentialReader } from './bound-credentials.js';
import { BuiltinLibrary } from './builtin/builtin-library.js';
import { httpRequest } from './builtin/http-request.tool.js';
import { forget, remember } from './builtin/memory-tools.js';
import { StepRepository } from '../steps/step.repository.js';
import { TurnFiles } from '../replies/turn-file.repository.js';
import { TurnInterims } from '../replies/turn-interim.repository.js';
import { sendFile } from './builtin/send-file.js';
import { sendInterim } from './builtin/send-interim.js';
import { sendEmail } from './builtin/send-email.tool.js';
import { webSearch } from './builtin/web-search.tool.js';
import { ToolsetClient } from './registry/registry-tool.js';
import { TurnToolService } from './turn-tool.service.js';

@Module({
  imports: [CallsModule, DocumentsModule, KnowledgeModule, MemoriesModule, StepsModule],
  providers: [
    ArgumentCheck,
    {
      provide: BuiltinLibrary,
      useFactory: library,
      inject: [
        SETTINGS,
        EGRESS,
        DocumentRepository,
        DocumentSearch,
        GraphRepository,
        GATEWAY,
        DocumentReader,
        ContactMemories,
        ServiceClient,
        TurnFiles,
        StepRepository,
        TurnInterims,
      ],
    },
    CredentialReader,
    ToolsetClient,
    TurnFiles,
    TurnInterims,
    TurnToolService,
  ],
  exports: [ArgumentCheck, BuiltinLibrary, CredentialReader, TurnFiles, TurnToolService],
})
export class ToolsModule {}

function library(
  settings: EngineSettings,
  egress: Egress,
  documents: DocumentRepository,
  search: DocumentSearch,
  graph: GraphRepository,
  gateway: ServiceClient,
  reader: DocumentReader,
  memories: ContactMemories,
  router: ServiceClient,
  files: TurnFiles,
  steps: StepRepository,
  interims: TurnInterims,
): BuiltinLibrary {
  const timeoutMs = settings.TOOL_TIMEOUT_MS;
  return new BuiltinLibrary({
    http_request: httpRequest(egress, { maxResponseBytes: settings.TOOL_RESULT_KEPT_BYTES, timeoutMs }),
    send_email: sendEmail(egress, timeoutMs),
    web_search: webSearch(egress, timeoutMs),
    read_file: readFile(documents, { gateway, router }, reader),
    send_file: sendFile(
      { files, documents, steps, gateway, router },
      { files: settings.TURN_FILES, bytes: settings.TURN_FILE_BYTES },
    ),
    send_interim: sendInterim(interims, gateway, settings),
    store_knowledge: storeKnowledge(documents, settings.DOCUMENT_MAX_CHARS),
    query_knowledge_graph: queryKnowledgeGraph(search, graph, router),
    remember: remember(memories),
    forget: forget(memories),
  });
}
