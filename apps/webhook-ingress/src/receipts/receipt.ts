/** A stored request: what was received, byte for byte, and what the ingress knows about it. */
export interface Receipt {
  id: string;
  receivedAt: Date;
  organizationId: string;
  projectId: string;
  appId: string;
  /** The outcome in the receipt's journal entry: `held` while its App is paused. */
  outcome: 'accepted' | 'held';
  /**
   * `asked_again`: fetched from the provider, after an outage. `verification`: the platform's own request, which is kept
   * for people to see and is not enqueued.
   */
  reason: 'asked_again' | 'delivery_id_reused' | 'verification' | null;
  method: string;
  /** Path and query as sent, the token included: a provider's signature may be over it. No view shows it. */
  url: string;
  headers: Record<string, string | string[]>;
  body: Buffer;
  /** The scheme that was checked here (`none` when the App wants no check); null when the adapter has to check. */
  verifiedScheme: string | null;
  remoteAddress: string;
}

/**
 * A key that names one delivery of a sender, scoped to its App. Hashes are latin1 strings with one character per byte:
 * making a Buffer takes a third longer than the hash itself.
 */
export interface DeliveryKey {
  hash: string;
  bodyHash: string;
}

/** The result of a write: stored, in Postgres or so far on the local disk, or the same key was there first. */
export type Written = { stored: true; spooled?: true } | { stored: false; firstId: string; sameBody: boolean };
