import type { ServiceSchema } from '#libs/database';
import { Audit } from '../audit/audit.entity.js';
import { Agent } from '../agents/agent.entity.js';
import { Approval } from '../approvals/approval.entity.js';
import { Chunk } from '../knowledge/chunk.entity.js';
import { KnowledgeDocument } from '../knowledge/document.entity.js';
import { KnowledgeEntity, Mention, Relation } from '../knowledge/graph.entity.js';
import { SyncedDocument } from '../knowledge/synced-document.entity.js';
import { PythonTry } from '../tool-calls/python-try.entity.js';
import { ToolCallRecord } from '../tool-calls/tool-call.entity.js';
import { Step } from '../turns/step.entity.js';
import { Turn } from '../turns/turn.entity.js';
import { ModelUsage } from '../usage/model-usage.entity.js';
import { Usage } from '../usage/usage.entity.js';
import { AgentsTurnsReplies1763700100000 } from './1763700100000-agents-turns-replies.js';
import { ToolsApprovalsKnowledge1764000000100 } from './1764000000100-tools-approvals-knowledge.js';
import { ApprovalPins1764100000100 } from './1764100000100-approval-pins.js';
import { SyncedDocuments1764200000100 } from './1764200000100-synced-documents.js';
import { TurnEnds1764600000500 } from './1764600000500-turn-ends.js';
import { PythonTries1764600000600 } from './1764600000600-python-tries.js';
import { UntrustedContent1764700000300 } from './1764700000300-untrusted-content.js';
import { Audit1764700000301 } from './1764700000301-audit.js';
import { RepliesInTurns1764800000100 } from './1764800000100-replies-in-turns.js';
import { SessionsAndRuns1764800000200 } from './1764800000200-sessions-and-runs.js';
import { Retention1764800000400 } from './1764800000400-retention.js';
import { Discards1764800000500 } from './1764800000500-discards.js';
import { ChangesTold1764900000100 } from './1764900000100-changes-told.js';
import { UsageOfModels1764900000112 } from './1764900000112-usage-of-models.js';
import { UsageByOrganization1765000000100 } from './1765000000100-usage-by-organization.js';
import { ProjectLimits1765000000204 } from './1765000000204-project-limits.js';
import { TurnSlots1765000000205 } from './1765000000205-turn-slots.js';

export const schema: ServiceSchema = {
  name: 'engine',
  entities: [
    Agent,
    Turn,
    Step,
    ToolCallRecord,
    PythonTry,
    Approval,
    Usage,
    ModelUsage,
    KnowledgeDocument,
    Chunk,
    KnowledgeEntity,
    Mention,
    Relation,
    SyncedDocument,
    Audit,
  ],
  migrations: [
    AgentsTurnsReplies1763700100000,
    ToolsApprovalsKnowledge1764000000100,
    ApprovalPins1764100000100,
    SyncedDocuments1764200000100,
    TurnEnds1764600000500,
    PythonTries1764600000600,
    UntrustedContent1764700000300,
    Audit1764700000301,
    RepliesInTurns1764800000100,
    SessionsAndRuns1764800000200,
    Retention1764800000400,
    Discards1764800000500,
    ChangesTold1764900000100,
    UsageOfModels1764900000112,
    UsageByOrganization1765000000100,
    ProjectLimits1765000000204,
    TurnSlots1765000000205,
  ],
};
