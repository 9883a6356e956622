export {
  batchProgress,
  cancelBatch,
  createBatch,
  endBatchItem,
  takeBatchItems,
  type Batch,
  type BatchItem,
  type BatchProgress,
} from './batches.js';
export {
  deadLetterStates,
  endingOfRedrive,
  findDeadLetter,
  lettersBefore,
  listDeadLetters,
  noteDeliveryRedriven,
  noteRedriveFailure,
  noteRedriven,
  noteTurnRetried,
  openForRedrive,
  openLetters,
  settleRedrive,
  takeDueRedrives,
  type DeadLetter,
  type DeadLetterQuery,
  type DeadLetterState,
  type OpenLetters,
  type QuietCause,
} from './dead-letters.js';
export { type LetterCause, letterCauses } from './letter-causes.js';
export { type EntryInRow, everyEntry, noEntrySql } from './entries-in-rows.js';
export { entriesSince, type LiveEntry } from './entries-since.js';
export { eraseDetails } from './erase-details.js';
export type { JournalEntry, JournalSubject } from './entry.js';
export { type HandedOver, Handovers, handoverTables } from './handovers.js';
export { entryCtes } from './insert-entries.js';
export { adapterWait } from './adapter-wait.js';
export { latestEntries, type LatestEntry } from './latest-entries.js';
export { type EventResult, eventResult, eventResults, type EventResultState, type EventTurn } from './event-result.js';
export { listEvents, type EventQuery, type EventSummary } from './event-list.js';
export { Journal } from './journal.js';
export { journalProvider } from './journal.provider.js';
export { latencyBoundsMs, latencyClass, latencyOf, type Latency } from './statistics/latency.js';
export {
  addCounts,
  countJournal,
  countsByApp,
  countsByStep,
  forgetStatistics,
  joinOldMinutes,
  type CountAt,
  type CountOfApp,
  type Measure,
  type StatisticCount,
  type StatisticScope,
} from './statistics/statistics.js';
export { endHandOnLease, takeHandOnLease } from './hand-on-lease.js';
export { heardOfWithinMs, type HeldProject, HeldProjects, heldProjectsProvider } from './held-projects.js';
export {
  comeBack,
  discard,
  endHandingOn,
  findHold,
  findLeft,
  findPeer,
  forgetPeer,
  giveHandOnKey,
  giveUp,
  hasLeft,
  hold,
  type HoldState,
  keepPeer,
  leave,
  type ProjectHold,
  type ProjectPeer,
  type PublicKey,
  refuseWebhooks,
  release,
  stayLeft,
  type StoredHold,
} from './project-holds.js';
export { processPresenceProvider, type RunningBuild, runningBuilds } from './running-processes.js';
export { lastEntries, timeline, type TimelineEntry } from './timeline.js';
