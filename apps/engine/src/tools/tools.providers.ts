import { createEgress, type Egress } from '#libs/egress';
import { type Audience, ServiceClient, ServiceTokens } from '#libs/service-kit';
import type { Provider } from '@nestjs/common';
import { DocumentRepository } from '../knowledge/document.repository.js';
import { GraphRepository } from '../knowledge/graph.repository.js';
import { queryKnowledgeGraph, readFile, storeKnowledge } from '../knowledge/knowledge-tools.js';
import { GATEWAY, PYTHON_RUNNER, REGISTRY, VAULT } from '../services.js';
import type { EngineSettings } from '../settings.js';
import { ArgumentCheck } from './argument-check.js';
import { CredentialReader } from './bound-credentials.js';
import { BuiltinLibrary } from './builtin/builtin-library.js';
import { httpRequest } from './builtin/http-request.tool.js';
import { sendEmail } from './builtin/send-email.tool.js';
import { webSearch } from './builtin/web-search.tool.js';
import { EGRESS } from './egress.js';
import { ToolsetClient } from './registry/toolset-client.js';
import { TurnToolService } from './turn-tool.service.js';

/** Over the call's own time-out: the other side ends the call and says so, unless it is dead. */
const graceMs = 5_000;

/** What turns call, and the ways to it. */
export function toolProviders(settings: EngineSettings): Provider[] {
  const client = (token: symbol, audience: Audience, url: string, timeoutMs?: number): Provider => ({
    provide: token,
    useFactory: (tokens: ServiceTokens) => new ServiceClient(audience, url, tokens, timeoutMs),
    inject: [ServiceTokens],
  });
  return [
    client(VAULT, 'credential-vault', settings.VAULT_URL),
    client(GATEWAY, 'adapter-gateway', settings.GATEWAY_URL, settings.TOOL_TIMEOUT_MS + graceMs),
    client(REGISTRY, 'mcp-registry', settings.MCP_REGISTRY_URL, settings.TOOL_TIMEOUT_MS + graceMs),
    client(PYTHON_RUNNER, 'python-runner', settings.PYTHON_RUNNER_URL, settings.TOOL_TIMEOUT_MS + graceMs),
    { provide: EGRESS, useFactory: () => createEgress({ allow: settings.GATEHOUSE_EGRESS_ALLOW }) },
    {
      provide: BuiltinLibrary,
      useFactory: (egress: Egress, documents: DocumentRepository, graph: GraphRepository, gateway: ServiceClient) =>
        library(settings, egress, documents, graph, gateway),
      inject: [EGRESS, DocumentRepository, GraphRepository, GATEWAY],
    },
    ArgumentCheck,
    CredentialReader,
    ToolsetClient,
    TurnToolService,
  ];
}

function library(
  settings: EngineSettings,
  egress: Egress,
  documents: DocumentRepository,
  graph: GraphRepository,
  gateway: ServiceClient,
): BuiltinLibrary {
  const timeoutMs = settings.TOOL_TIMEOUT_MS;
  return new BuiltinLibrary({
    http_request: httpRequest(egress, { maxResponseBytes: settings.TOOL_RESULT_KEPT_BYTES, timeoutMs }),
    send_email: sendEmail(egress, timeoutMs),
    web_search: webSearch(egress, timeoutMs),
    read_file: readFile(documents, gateway, settings.DOCUMENT_MAX_CHARS),
    store_knowledge: storeKnowledge(documents, settings.DOCUMENT_MAX_CHARS),
    query_knowledge_graph: queryKnowledgeGraph(documents, graph),
  });
}
