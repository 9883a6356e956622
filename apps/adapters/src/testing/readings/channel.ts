import type { Reading } from './reading.js';

export type Notifies = 'anybody' | 'everybody' | 'everybody, wherever it stands';

export interface Channel {
  name: string;
  /** What reads what was sent, in words for the reference. */
  reader: string;
  /** What is sent, and how the channel shows it. */
  send(markdown: string): string;
  read(sent: string): Reading;
  isPlain?: boolean;
  /** Its code can have no backticks. */
  hasNoBackticks?: boolean;
  /** Whom a name in a text would notify; nobody unless given. */
  notifies?: Notifies;
  /** It looks for names in all of the text at once. */
  joinsTexts?: boolean;
}
