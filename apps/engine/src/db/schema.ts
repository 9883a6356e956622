import type { ServiceSchema } from '#libs/database';
import { Audit } from '../entities/audit.entity.js';
import { Agent, AgentVersion } from '../entities/agent.entity.js';
import { Approval, ApprovalAsk } from '../entities/approval.entity.js';
import { OpenCall } from '../entities/open-call.entity.js';
import { Chunk, ChunkVector, KnowledgeDocument, SyncedDocument } from '../knowledge/document.entity.js';
import { EmbeddingModelRow } from '../knowledge/meaning/embedding-model.entity.js';
import { KnowledgeEntity, Mention, Relation } from '../knowledge/graph.entity.js';
import { PythonTry } from '../manage/python-tools/python-try.entity.js';
import { Step, ToolCallRecord, Turn, TurnInterim, TurnPreviewRow, WorkflowStepRow } from '../entities/turn.entity.js';
import { BudgetHold, ModelUsage, Usage } from '../entities/usage.entity.js';
import { Engine1770000000000 } from './1770000000000-engine.js';
import { BudgetNotice1795704900000 } from './1795704900000-budget-notice.js';
import { TurnWork1795706000000 } from './1795706000000-turn-work.js';
import { TurnDue1795706000001 } from './1795706000001-turn-due.js';
import { Provider } from '../entities/provider.entity.js';
import { Provider1795712400000 } from './1795712400000-provider.js';
import { Suspects1795766100000 } from './1795766100000-suspects.js';
import { PythonCalls1795799000000 } from './1795799000000-python-calls.js';
import { AgentVersion1795806000000 } from './1795806000000-agent-version.js';
import { ContactMemory, ModelWindow, SessionSummary } from '../entities/compaction.entity.js';
import { SessionSummary1795808000000 } from './1795808000000-session-summary.js';
import { TurnOutput1795801000000 } from './1795801000000-turn-output.js';
import { ApprovalAsk1795805000000 } from './1795805000000-approval-ask.js';
import { Trial } from '../manage/trials/trial.entity.js';
import { Trial1795811000000 } from './1795811000000-trial.js';
import { Comparison, ComparisonCase } from '../manage/comparisons/comparison.entity.js';
import { CaseSet } from '../entities/case-set.entity.js';
import { CaseSet1795866000000 } from './1795866000000-case-set.js';
import { Inbox1795855000000 } from './1795855000000-inbox.js';
import { TurnFile } from '../entities/turn-file.entity.js';
import { TurnOfSession1795894050000 } from './1795894050000-turn-of-session.js';
import { TurnFile1795894100000 } from './1795894100000-turn-file.js';
import { ChunkVectorOfChunk1795895000000 } from './1795895000000-chunk-vector-of-chunk.js';
import { TranscriptRow } from '../entities/transcript.entity.js';
import { Transcript1795892000000 } from './1795892000000-transcript.js';
import { ContactMemory1795868400000 } from './1795868400000-contact-memory.js';
import { WorkflowStepWait1795890900000 } from './1795890900000-workflow-step-wait.js';
import { DocumentReaders1795894000000 } from './1795894000000-document-readers.js';
import { ChunkVector1795891000000 } from './1795891000000-chunk-vector.js';
import { AgentCall1795867200000 } from './1795867200000-agent-call.js';
import { Comparison1795827000000 } from './1795827000000-comparison.js';
import { ChunkTerms1795854900000 } from './1795854900000-chunk-terms.js';
import { SessionOrder1795807000000 } from './1795807000000-session-order.js';
import { TurnPreview1795788000000 } from './1795788000000-turn-preview.js';
import { WorkflowStep1795866167000 } from './1795866167000-workflow-step.js';
import { BudgetHold1795790000000 } from './1795790000000-budget-hold.js';
import { TurnInterim1795903366102 } from './1795903366102-turn-interim.js';
import { EmbeddingHold1795904361264 } from './1795904361264-embedding-hold.js';
import { AgentTask, Publication, TaskPush } from '../entities/agent-task.entity.js';
import { AgentTask1795905856508 } from './1795905856508-agent-task.js';
import { OpenCall1795906700304 } from './1795906700304-open-call.js';
import { OnlyStep1795927642138 } from './1795927642138-only-step.js';
import { TurnEntry1795927532028 } from './1795927532028-turn-entry.js';

export const schema: ServiceSchema = {
  name: 'engine',
  entities: [
    Agent,
    AgentVersion,
    Trial,
    Comparison,
    ComparisonCase,
    CaseSet,
    Provider,
    Turn,
    SessionSummary,
    ContactMemory,
    ModelWindow,
    TurnPreviewRow,
    Step,
    WorkflowStepRow,
    ToolCallRecord,
    PythonTry,
    Approval,
    ApprovalAsk,
    OpenCall,
    Usage,
    BudgetHold,
    ModelUsage,
    TranscriptRow,
    TurnFile,
    TurnInterim,
    KnowledgeDocument,
    Chunk,
    ChunkVector,
    EmbeddingModelRow,
    KnowledgeEntity,
    Mention,
    Relation,
    SyncedDocument,
    Publication,
    AgentTask,
    TaskPush,
    Audit,
  ],
  migrations: [
    Engine1770000000000,
    BudgetNotice1795704900000,
    TurnWork1795706000000,
    TurnDue1795706000001,
    Provider1795712400000,
    Suspects1795766100000,
    TurnPreview1795788000000,
    BudgetHold1795790000000,
    PythonCalls1795799000000,
    TurnOutput1795801000000,
    ApprovalAsk1795805000000,
    AgentVersion1795806000000,
    SessionOrder1795807000000,
    SessionSummary1795808000000,
    Trial1795811000000,
    Comparison1795827000000,
    ChunkTerms1795854900000,
    Inbox1795855000000,
    CaseSet1795866000000,
    WorkflowStep1795866167000,
    AgentCall1795867200000,
    ContactMemory1795868400000,
    WorkflowStepWait1795890900000,
    ChunkVector1795891000000,
    Transcript1795892000000,
    DocumentReaders1795894000000,
    TurnOfSession1795894050000,
    TurnFile1795894100000,
    ChunkVectorOfChunk1795895000000,
    TurnInterim1795903366102,
    EmbeddingHold1795904361264,
    AgentTask1795905856508,
    OpenCall1795906700304,
    OnlyStep1795927642138,
    TurnEntry1795927532028,
  ],
  // An entry that lies in a row is part of the timelines, of lists and counts.
  grants: Object.fromEntries(
    ['webhook-ingress', 'router', 'engine'].map((service) => [service, ['SELECT ON journal.turn_entry']]),
  ),
};
