export type { JournalEntry, JournalSubject } from './entry.js';
export { Journal } from './journal.js';
export { journalProvider } from './journal.provider.js';
export { listEvents, timeline, type EventQuery, type EventSummary, type TimelineEntry } from './timeline.js';
