/**
 * Filter values as the URL has them. They are here because a route and its page both need them, and the page is loaded
 * later.
 */

/** How an approval was decided. */
export const decidedStates = ['approved', 'refused', 'expired', 'cancelled'] as const;

export const toolSources = ['builtin', 'mcp', 'python'] as const;
export const toolStates = ['approved', 'pending', 'changed', 'removed', 'quarantined'] as const;
export const toolTabs = ['tool', 'try', 'versions', 'calls'] as const;

export const runStates = [
  'suspended',
  'queued',
  'running',
  'waiting',
  'waiting_approval',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
] as const;
/** Of a dry run. */
export const verdicts = ['matched', 'filtered', 'filter_error'] as const;

export const contactStatuses = ['unknown', 'known', 'blocked'] as const;

/** What the reader has not read, has been assigned, or is waited for in. */
export const inboxes = ['waiting', 'unread', 'assigned'] as const;
export const sessionStatuses = ['active', 'taken_over', 'resolved', 'closed'] as const;

/** How many hours back. */
export const healthHours = ['1', '24', '168'] as const;
export type HealthHours = (typeof healthHours)[number];
/** Of dead letters. */
export const letterStates = ['open', 'redriving', 'redriven', 'lost'] as const;
export const letterStages = ['verified', 'parsed', 'routed', 'turn', 'delivery'] as const;
export const problemStates = ['open', 'regressed', 'muted', 'resolved'] as const;
export const deliveryStates = ['dead', 'unknown', 'expired', 'queued', 'sending', 'delivered'] as const;

/** How many days back. */
export const usageSpans = ['7', '30', '90'] as const;
export const usageMeasures = ['tokens', 'cost', 'calls'] as const;
export const usageGroups = ['agent', 'contact', 'model'] as const;
export type UsageMeasure = (typeof usageMeasures)[number];
export type UsageBy = (typeof usageGroups)[number];

export const sampleKinds = ['signed', 'unsigned', 'tampered', 'stale'] as const;
export const sampleSources = ['sample', 'event', 'typed'] as const;

export const alertTabs = ['rules', 'history', 'desktop'] as const;
/** Of what was sent. */
export const alertStates = ['waiting', 'sent', 'failed'] as const;
