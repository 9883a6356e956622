import type { AttentionItem, OutboundContent, PythonTryAnswer } from '#libs/contracts';
import type { RunDetailView } from '#libs/views';
import type { EntityDetail, EntityPage } from '../knowledge/entity.dto.js';
import type { DocumentPage, DocumentView, DocumentWithText, FoundChunks } from '../knowledge/knowledge.dto.js';
import type { MeaningView } from '../knowledge/meaning/meaning.dto.js';
import type { TakenVersion } from '../knowledge/synced-document.repository.js';
import type { AgentDetail, AgentToolsetView } from '../manage/agents/agent-toolset.dto.js';
import type { AgentDifferences, AgentVersionDetail, AgentVersionPage } from '../manage/agents/agent-version.dto.js';
import type { AgentPage, AgentView } from '../manage/agents/agent.dto.js';
import type { ApprovalPage, ApprovalView } from '../manage/approvals/approval.dto.js';
import type { CaseSetDetailView, CaseSetList } from '../manage/comparisons/case-set.dto.js';
import type { ComparisonCasePage, ComparisonPage, ComparisonView } from '../manage/comparisons/comparison.dto.js';
import type { ErasedMemories, MemoryPage, MemoryView } from '../manage/memories/memory.dto.js';
import type { PresetList, ProviderList, ProviderView, TestedView } from '../manage/providers/provider.dto.js';
import type { SessionTurnPage } from '../manage/sessions/session-turn.dto.js';
import type { SessionDetailView, SessionPage, SessionSummaryView } from '../manage/sessions/session.dto.js';
import type { TrialTurnView, TrialView } from '../manage/trials/trial.dto.js';
import type { OpenCallPage } from '../open-calls/open-call.dto.js';
import type { TurnRedrive } from '../manage/turns/turn-redrive.service.js';
import type { TurnView } from '../manage/turns/turn.dto.js';
import type { UsageList } from '../manage/usage/usage.controller.js';

/** The parts of it that the tests read. */
interface CallbackAnswer {
  status?: number;
  error?: { code: string };
}

/** What each internal route of the engine answers with. */
export type EngineInternalViews = [
  ['GET attention', { data: AttentionItem[] }],
  ['GET agents/using', { agents: { id: string; name: string }[] }],
  ['GET agents/toolsets', { agents: object[]; more: number }],
  ['GET agents/powers', { agents: object[]; more: number }],
  [`GET agents/${string}`, { id: string }],
  ['GET audit', { data: { subject: string }[] }],
  ['POST python-callbacks', CallbackAnswer],
  [`PUT synced-documents/${string}`, TakenVersion],
  ['POST previews', { turns: { turn_id: string }[] }],
  ['POST python-tries', PythonTryAnswer],
  [`POST turns/${string}/redrive`, TurnRedrive],
  [`GET turns/${string}/replies/${string}/files`, { files: string[] }],
  [`GET turns/${string}/replies/${string}`, { content: OutboundContent }],
];

/** What each route of the engine answers with. */
export type EngineViews = [
  ['GET agents', AgentPage],
  [`GET agents/${string}/case-sets`, CaseSetList],
  [`${string} agents/${string}/case-sets${string}`, CaseSetDetailView],
  [`GET agents/${string}/comparisons`, ComparisonPage],
  [`GET agents/${string}/comparisons/${string}/cases`, ComparisonCasePage],
  [`${string} agents/${string}/comparisons${string}`, ComparisonView],
  [`POST agents/${string}/trials/${string}/messages`, TrialTurnView],
  [`${string} agents/${string}/trials${string}`, TrialView],
  [`GET agents/${string}/toolset`, AgentToolsetView],
  [`GET agents/${string}/versions`, AgentVersionPage],
  [`GET agents/${string}/versions/${string}/differences`, AgentDifferences],
  [`POST agents/${string}/versions/${string}/promote`, AgentView],
  [`${string} agents/${string}/versions${string}`, AgentVersionDetail],
  [`${string} agents${string}`, AgentDetail],
  ['GET approvals', ApprovalPage],
  [`${string} approvals/${string}`, ApprovalView],
  ['GET knowledge', DocumentPage],
  ['POST knowledge', DocumentView],
  ['GET knowledge/search', FoundChunks],
  [`${string} knowledge/meaning`, MeaningView],
  ['GET knowledge/entities', EntityPage],
  [`GET knowledge/entities/${string}`, EntityDetail],
  [`${string} knowledge/${string}`, DocumentWithText],
  ['GET providers', ProviderList],
  ['GET providers/presets', PresetList],
  [`POST providers/${string}/test`, TestedView],
  [`${string} providers${string}`, ProviderView],
  [`GET open-calls${string}`, OpenCallPage],
  ['GET memories', MemoryPage],
  ['DELETE memories', ErasedMemories],
  [`${string} memories/${string}`, MemoryView],
  [`GET runs/${string}`, RunDetailView],
  ['GET sessions', SessionPage],
  [`GET sessions/${string}/turns`, SessionTurnPage],
  [`PUT sessions/${string}/summary`, SessionSummaryView],
  [`${string} sessions/${string}`, SessionDetailView],
  [`${string} turns/${string}`, TurnView],
  ['GET usage', UsageList],
];
