/** Kinds of resources that may need attention, and where a person deals with it. */
export const attentionKinds = [
  'app',
  'adapter',
  'credential',
  'source',
  'mcp_server',
  'dead_letters',
  'contacts',
  'held_messages',
  'approvals',
  'agents',
  'models',
  'messages',
  'schedule',
  'service',
  'project',
] as const;
export type AttentionKind = (typeof attentionKinds)[number];

/** Something that does not work, or that waits for a person: each service reports what it owns. */
export interface AttentionItem {
  /** For programs; `text` says it for people, in one line. */
  code: string;
  /** `error`: something does not work. `warning`: it soon will not, or it waits for a person. */
  severity: 'error' | 'warning';
  text: string;
  what_to_do: string;
  /** `id` is null when there are several. */
  resource: { kind: AttentionKind; id: string | null };
  /** How many there are. */
  count: number;
  /** RFC 3339; null when unknown. */
  since: string | null;
  /** Callers without this scope do not see it. */
  scope:
    | 'apps:read'
    | 'credentials:read'
    | 'contacts:read'
    | 'events:read'
    | 'knowledge:read'
    | 'tools:read'
    | 'agents:read'
    | 'workflows:read';
}

/** Of one kind, in one answer. */
export const attentionAtMost = 50;
