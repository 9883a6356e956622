/** What a job says of its own way, rather than of its message. A first job within its project's share says nothing. */
export interface JobCustody {
  /** From a project that sends more than its share: handled after everything within a share. */
  surplus?: true;
  /**
   * Enqueued anew by whoever keeps the row, since the earlier job may be lost: how often it was attempted by then.
   * Numbering continues from there.
   */
  attempts?: number;
  /** Handed over before by the service ahead, in a job that may be lost. */
  resent?: true;
}
