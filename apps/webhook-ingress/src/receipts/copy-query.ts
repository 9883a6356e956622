import type { Connection, Submittable } from 'pg';

/**
 * A COPY whose statement and data are sent in one write, without waiting for the server to ask for the data: a round
 * trip and some system calls less for every commit. A server that refuses the statement skips the data that follows.
 */
export class CopyQuery implements Submittable {
  /** pg wraps it, to end a query that takes too long. */
  callback: (error: Error | null) => void = () => undefined;
  /** Resolves when the rows are committed, or belong to the transaction in flight. */
  readonly done: Promise<void>;

  constructor(private readonly messages: Buffer) {
    this.done = new Promise((resolve, reject) => {
      this.callback = (error) => (error ? reject(error) : resolve());
    });
  }

  submit(connection: Connection): void {
    connection.stream.write(this.messages);
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }

  handleCopyInResponse(): void {
    // The data is on its way already.
  }

  handleCommandComplete(): void {
    // Success is ReadyForQuery: only then is the next statement welcome.
  }
}
