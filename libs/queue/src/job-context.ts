import { BaseRpcContext } from '@nestjs/microservices';

/** Resolves with the given promise, and holds no place of the consumer meanwhile. */
export type Waiting = <T>(wait: Promise<T>) => Promise<T>;

/** What a handler may know about the job that it runs for. */
export class JobContext extends BaseRpcContext<[name: string, attempt: number, addedAtMs: number, waiting: Waiting]> {
  /** 1 for the first attempt. */
  get attempt(): number {
    return this.args[1];
  }

  /** Time since the job was added, in ms: the wait in the queue, retries included. */
  waitedMs(): number {
    return Date.now() - this.args[2];
  }

  /** For waits on another job: if such waits held every place of the consumer, that job could not run. */
  get waiting(): Waiting {
    return this.args[3];
  }
}
