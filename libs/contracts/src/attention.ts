/** What a thing that needs attention is of, and where a person goes for it. */
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
  'service',
] as const;
export type AttentionKind = (typeof attentionKinds)[number];

/** Something that does not work, or waits for a person: a service tells of what it owns. */
export interface AttentionItem {
  /** For programs; `text` says it for people, in one line. */
  code: string;
  /** `error`: something does not work. `warning`: it will not for long, or a person is waited for. */
  severity: 'error' | 'warning';
  text: string;
  what_to_do: string;
  /** `id` is null where it is of many. */
  resource: { kind: AttentionKind; id: string | null };
  /** How many of it there are. */
  count: number;
  /** RFC 3339; null where nobody knows. */
  since: string | null;
  /** Whoever does not hold it is not told. */
  scope:
    | 'apps:read'
    | 'credentials:read'
    | 'contacts:read'
    | 'events:read'
    | 'knowledge:read'
    | 'tools:read'
    | 'agents:read';
}

/** Of one kind, in one answer. */
export const attentionAtMost = 50;
