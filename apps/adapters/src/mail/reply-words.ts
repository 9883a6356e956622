/**
 * What mail programs write around answers, by language. Collected from the programs' translations (Gmail, Outlook, Apple
 * Mail, Thunderbird, Yahoo, Proton Mail) and from the tests of open quotation parsers.
 */
export interface ReplyWords {
  /** Of `On 3 May, Jane wrote:`, which ends with a colon. */
  wrote: readonly string[];
  /** The names of From, Sent or Date, To, and Subject in a header block. */
  from: readonly string[];
  sent: readonly string[];
  to: readonly string[];
  subject: readonly string[];
  /** Of `-----Original Message-----`. */
  original: readonly string[];
  /** Of `---------- Forwarded message ---------`, and `Begin forwarded message:`. */
  forwarded: readonly string[];
  /** Before the subject of a forward, without the colon. */
  forwardPrefix: readonly string[];
  /** What phones and programs put below a mail: begins, or is contained in, one line. */
  sentFrom: readonly string[];
}
