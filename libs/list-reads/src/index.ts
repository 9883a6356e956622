export { type Behind, behindMs, laggingPage, LaggingPageOf, SaysBehind, withBehind } from './behind.js';
export { type ListRead, ListReads, listReadsProvider, type ReplicaSettings } from './list-reads.js';
