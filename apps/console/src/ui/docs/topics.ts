/** A section of a page of `docs/`. */
interface DocSection {
  /** Its file, without the ending: `routing`, `adapters/slack`. */
  page: string;
  /** Of the section's heading. */
  anchor: string;
}

/** What the console explains beside a field, each by a section of the documentation. */
export const topics = {
  agentBudgets: { page: 'agents', anchor: 'limits' },
  agentGrades: { page: 'agents', anchor: 'what-a-turn-may-do' },
  agentInstructions: { page: 'agents', anchor: 'instructions' },
  alertRules: { page: 'alerts', anchor: 'rules' },
  credentialTypes: { page: 'vault', anchor: 'credentials' },
  eventWaits: { page: 'routing', anchor: 'wait-for-an-event' },
  routes: { page: 'routing', anchor: 'who-gets-a-message' },
  schedules: { page: 'routing', anchor: 'schedules' },
  senders: { page: 'routing', anchor: 'contacts' },
  sessions: { page: 'routing', anchor: 'sessions' },
  signatures: { page: 'http', anchor: 'signatures-of-the-built-in-webhook-app' },
  steps: { page: 'routing', anchor: 'steps' },
  triggerFilters: { page: 'routing', anchor: 'filters' },
} as const satisfies Readonly<Record<string, DocSection>>;

export type Topic = keyof typeof topics;

/** The address of a page of the documentation within the console. */
export const docHref = (projectId: string, { page, anchor }: { page: string; anchor?: string }): string =>
  `/p/${projectId}/docs?page=${encodeURIComponent(page)}${anchor ? `#${anchor}` : ''}`;
