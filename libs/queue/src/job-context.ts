import { BaseRpcContext } from '@nestjs/microservices';

/** Resolves as what it is given, which takes no place of the consumer meanwhile. */
export type Waiting = <T>(wait: Promise<T>) => Promise<T>;

/** What a handler may know of the job it runs for. */
export class JobContext extends BaseRpcContext<[name: string, attempt: number, addedAtMs: number, waiting: Waiting]> {
  /** 1 for the first attempt. */
  get attempt(): number {
    return this.args[1];
  }

  /** Time since the job was added, in ms: the wait in the queue, retries included. */
  waitedMs(): number {
    return Date.now() - this.args[2];
  }

  /** For what waits for another job: with every place of the consumer held by such waits, that one could not come. */
  get waiting(): Waiting {
    return this.args[3];
  }
}
