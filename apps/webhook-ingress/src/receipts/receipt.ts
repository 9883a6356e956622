/** One stored request: what was received, byte for byte, and what the ingress already knows of it. */
export interface Receipt {
  id: string;
  receivedAt: Date;
  organizationId: string;
  projectId: string;
  appId: string;
  /** What the journal says of its receipt: held while its App is paused. */
  outcome: 'accepted' | 'held';
  /** `verification`: the platform's own request, which is kept to be seen and is not enqueued. */
  reason: 'delivery_id_reused' | 'verification' | null;
  method: string;
  /** Path and query as sent; the token is masked unless the App needs it for its signature. */
  url: string;
  headers: Record<string, string | string[]>;
  body: Buffer;
  /** The scheme that was checked here (`none` when the App wants no check), or null when the adapter has to. */
  verifiedScheme: string | null;
  remoteAddress: string;
}

/**
 * A key that names one delivery of a sender, scoped to its App. Hashes are texts of a character (latin1) for each of their
 * bytes: a Buffer would take a third longer to make than the hash itself.
 */
export interface DeliveryKey {
  hash: string;
  bodyHash: string;
}

/** What became of a write: stored, or the same key was there first. */
export type Written = { stored: true } | { stored: false; firstId: string; sameBody: boolean };
