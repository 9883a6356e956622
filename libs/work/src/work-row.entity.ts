import { Column } from 'typeorm';

/**
 * The columns that every table of work has, under these names. A row is `queued` until somebody claims it, `running`
 * (some tables say it in their own word) while a lease is held, and in any other state it has ended or waits for
 * something that is no work.
 */
export abstract class WorkRow<State extends string = string> {
  @Column({ type: 'text', default: 'queued' }) state: State;
  /** Claims so far. The number of the last one is the fencing number: only that claim may write. */
  @Column({ type: 'integer', default: 0 }) claim: number;
  /** The process that holds the lease, as `Liveness` names it. */
  @Column({ type: 'text', nullable: true }) owner: string | null;
  /** While running: when the claim counts as abandoned. */
  @Column({ type: 'timestamptz', nullable: true }) lease_until: Date | null;
  /** While queued: when it may be claimed. */
  @Column({ type: 'timestamptz', default: () => 'now()' }) due_at: Date;
  /** Claims that count: a wait for something else gives its claim back, and a redrive begins again at 0. */
  @Column({ type: 'integer', default: 0 }) tries: number;
  /** Since when it has been held up; the age of a policy counts from here. Null: it is not. */
  @Column({ type: 'timestamptz', nullable: true }) blocked_since: Date | null;
  /** Why the last claim did not end it, or why it ended: a code. */
  @Column({ type: 'text', nullable: true }) reason: string | null;
  @Column({ type: 'timestamptz', nullable: true }) ended_at: Date | null;
  /** How often a process died while it worked on this row. More than 0 while the row is open: a suspect, tried alone. */
  @Column({ type: 'integer', default: 0 }) deaths: number;
  /** While running: its process works on nothing else of the kind. While queued: it died at that, and once too often. */
  @Column({ type: 'boolean', default: false }) on_trial: boolean;
}
