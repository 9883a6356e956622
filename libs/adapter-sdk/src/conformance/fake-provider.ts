import type { Fault } from './fixtures.js';

/**
 * The provider that the adapter talks to while it is checked. The kit's own answers HTTP according to the fixtures. One
 * for another protocol, such as SMTP, implements this interface and is passed to the kit.
 */
export interface FakeProvider {
  /** Where the adapter reaches it; replaces `{{provider}}`. */
  url: string;
  /** The texts of the message parts taken since `reset`, in order. */
  texts(): string[];
  /** Clears what was taken, the fault and the state. */
  reset(): void;
  /** From the `after`-th (default 0) on, sends or verifications meet the fault. */
  fail(fault: Fault, on: 'send' | 'verify', after?: number): void;
  /** Shows the documents of this state of the fixtures' `sources.states`. */
  enter(state: number): void;
  close(): Promise<void>;
}
