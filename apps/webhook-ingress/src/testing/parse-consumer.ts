import { type InboundParsePayload, inboundParse } from '#libs/contracts';
import { JobServer } from '#libs/queue';

/** Takes the place of the gateway: records what is enqueued for it, in order. */
export interface ParseConsumer {
  parsed: string[];
  jobs: InboundParsePayload[];
  close(): Promise<void>;
}

export function parseConsumer(
  redisUrl: string,
  parse: (payload: InboundParsePayload) => Promise<void> | void = () => undefined,
): ParseConsumer {
  const parsed: string[] = [];
  const jobs: InboundParsePayload[] = [];
  const server = new JobServer({ redisUrl, queues: [inboundParse.queue], concurrency: 1 });
  const handle = async (payload: InboundParsePayload): Promise<void> => {
    parsed.push(payload.receipt_id);
    jobs.push(payload);
    await parse(payload);
  };
  server.addHandler(inboundParse.name, handle, true);
  server.addHandler(`${inboundParse.name}.dead`, async () => undefined, true);
  server.listen(() => undefined);
  return { parsed, jobs, close: () => server.close() };
}
