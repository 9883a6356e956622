import type { JobContract } from '#libs/contracts';
import { setId } from '#libs/contracts';

/**
 * One entry of a BullMQ job. First attempts that are added at the same moment travel in one BullMQ job (a company), as
 * Redis and its client cost about 300 µs a job and little for what it carries. A retry travels alone, so that each
 * message keeps its own attempts and its own backoff.
 */
export interface Traveller {
  payload: Record<string, unknown>;
  /** Attempts made before this job. */
  attempts: number;
  /** When it was first added, ms since the epoch. */
  addedAtMs: number;
  /** W3C Trace Context of who added it. Absent: nobody takes traces. */
  traceparent?: string;
}

export interface Company {
  travellers: Traveller[];
}

export const companyLimits = { maxTravellers: 32, maxBytes: 128 * 1024 };
/** What surplus holds at a time is what others wait for: less of it goes together. */
const surplusLimits = { ...companyLimits, maxTravellers: 16 };

/** Of a project that sends more than its share (`surplus` of its payload): it waits in a lane of its own. */
export function isSurplus({ payload }: Traveller): boolean {
  return payload['surplus'] === true;
}

/** Splits travellers into companies within the limits; a big one goes alone, and surplus travels with surplus. */
export function companies(travellers: Traveller[]): Company[] {
  const surplus = travellers.filter(isSurplus);
  if (surplus.length === 0) return companiesOf(travellers, companyLimits);
  const own = travellers.filter((traveller) => !isSurplus(traveller));
  return [...companiesOf(own, companyLimits), ...companiesOf(surplus, surplusLimits)];
}

function companiesOf(travellers: Traveller[], limits: typeof companyLimits): Company[] {
  const result: Company[] = [];
  let current: Traveller[] = [];
  let bytes = 0;
  for (const traveller of travellers) {
    const size = roughBytes(traveller.payload);
    if (current.length > 0 && (current.length >= limits.maxTravellers || bytes + size > limits.maxBytes)) {
      result.push({ travellers: current });
      current = [];
      bytes = 0;
    }
    current.push(traveller);
    bytes += size;
  }
  if (current.length > 0) result.push({ travellers: current });
  return result;
}

/** The traveller's own id when alone, so that whoever adds it again while it waits changes nothing. */
export function companyId(contract: JobContract, company: Company): string {
  const ids = company.travellers.map(({ payload }) => contract.jobId(payload));
  return ids.length === 1 && ids[0] !== undefined ? ids[0] : setId(ids);
}

/** When the wait of its first traveller began, in ms since the epoch. */
export function oldestOf(company: Company): number {
  return Math.min(...company.travellers.map(({ addedAtMs }) => addedAtMs));
}

function roughBytes(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.entries(value).reduce((sum, [key, entry]) => sum + key.length + roughBytes(entry), 16);
}
