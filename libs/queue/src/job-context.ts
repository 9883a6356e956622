import { BaseRpcContext } from '@nestjs/microservices';

/** What a handler may know of the job it runs for. */
export class JobContext extends BaseRpcContext<[name: string, attempt: number, addedAtMs: number]> {
  /** 1 for the first attempt. */
  get attempt(): number {
    return this.args[1];
  }

  /** Time since the job was added, in ms: the wait in the queue, retries included. */
  waitedMs(): number {
    return Date.now() - this.args[2];
  }
}
