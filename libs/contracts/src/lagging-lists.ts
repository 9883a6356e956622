/**
 * Lists and counts of the API that may be read from a replica of Postgres: by name, their path. Nothing else is read there,
 * least of all what something is decided by.
 */
export const laggingLists = {
  audit: '/api/v1/audit',
  deliveries: '/api/v1/deliveries',
  events: '/api/v1/events',
  'held-messages': '/api/v1/held-messages',
  'message-statistics': '/api/v1/statistics/messages',
  runs: '/api/v1/runs',
  'turn-paths': '/api/v1/usage/paths',
  usage: '/api/v1/usage',
} as const;

export type LaggingList = keyof typeof laggingLists;
