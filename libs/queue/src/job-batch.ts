import type { JobContract, JobCustody } from '#libs/contracts';
import { setId } from '#libs/contracts';

/**
 * One item of a BullMQ job. First attempts that are added at the same moment share one BullMQ job (a batch), because
 * Redis and its client cost about 300 µs per job, and little for its contents. A retry goes alone, so that each message
 * keeps its own attempts and backoff.
 */
export interface JobItem {
  payload: Record<string, unknown>;
  /** Attempts made before this job. */
  attempts: number;
  /** When it was first added, ms since the epoch. */
  addedAtMs: number;
  /** W3C Trace Context of the sender. Absent: traces are not exported. */
  traceparent?: string;
}

export interface JobBatch {
  items: JobItem[];
}

export const batchLimits = { maxItems: 32, maxBytes: 128 * 1024 };
/** Other jobs wait for whatever surplus runs at a time, so its batches are smaller. */
const surplusLimits = { ...batchLimits, maxItems: 16 };

/** Whether its project sends more than its share (`custody.surplus` in the payload): it then waits in a lane of its own. */
export function isSurplus({ payload }: JobItem): boolean {
  return (payload['custody'] as JobCustody | undefined)?.surplus === true;
}

/** Splits items into batches within the limits. A large item goes alone, and surplus goes only with surplus. */
export function batchesOf(items: JobItem[]): JobBatch[] {
  const surplus = items.filter(isSurplus);
  if (surplus.length === 0) return split(items, batchLimits);
  const own = items.filter((item) => !isSurplus(item));
  return [...split(own, batchLimits), ...split(surplus, surplusLimits)];
}

function split(items: JobItem[], limits: typeof batchLimits): JobBatch[] {
  const result: JobBatch[] = [];
  let current: JobItem[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = roughBytes(item.payload);
    if (current.length > 0 && (current.length >= limits.maxItems || bytes + size > limits.maxBytes)) {
      result.push({ items: current });
      current = [];
      bytes = 0;
    }
    current.push(item);
    bytes += size;
  }
  if (current.length > 0) result.push({ items: current });
  return result;
}

/** A single item's own id, so that adding it again while it waits changes nothing. */
export function batchId(contract: JobContract, batch: JobBatch): string {
  return idOf(batch.items.map(({ payload }) => contract.jobId(payload)));
}

/** The id of a batch that no other rows have; null where `batchId` is that already. */
export function ownBatchId({ ownId }: JobContract, batch: JobBatch): string | null {
  return ownId === undefined ? null : idOf(batch.items.map(({ payload }) => ownId(payload)));
}

function idOf(ids: string[]): string {
  return ids.length === 1 && ids[0] !== undefined ? ids[0] : setId(ids);
}

/** When the wait of its oldest item began, in ms since the epoch. */
export function oldestOf(batch: JobBatch): number {
  return Math.min(...batch.items.map(({ addedAtMs }) => addedAtMs));
}

function roughBytes(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.entries(value).reduce((sum, [key, entry]) => sum + key.length + roughBytes(entry), 16);
}
