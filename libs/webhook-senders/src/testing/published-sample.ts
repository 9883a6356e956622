import { readdirSync, readFileSync } from 'node:fs';
import type { ReadEvent } from '../event-reading.js';

/** A payload that nobody here wrote, and by whose code its signature is known to be right. */
export interface PublishedSample {
  payload: PublishedPayload | null;
  proof: Proof;
  /** What is missing: why there is no payload, or whose code has not checked the signature. */
  open?: string;
}

interface PublishedPayload {
  /** `captured`: a real delivery. `documented`: the sender's own page. `test`: a test of the sender's or of a client. */
  kind: 'captured' | 'documented' | 'test';
  source: string;
  /** Where it was read, with the license of that copy, when that is not the source itself. */
  read_in?: string;
  /** Fields that no row reads are left out. */
  shortened?: boolean;
  headers?: Record<string, string>;
  /** An object is sent as compact JSON. `@@` stands for a proof that is a part of the body. */
  body: object | string;
  reads: Omit<ReadEvent, 'item'>[];
}

/** A request with a proof that our code has not made, or that other code accepts. */
export interface SignedRequest {
  secret: string;
  headers?: Record<string, string>;
  url?: string;
  /** When it was signed, for a sender that signs the time. */
  at?: string;
  /** Without it, that of the payload. */
  body?: string;
}

export type Proof =
  /** Body, secret and signature as they are printed there. */
  | ({ by: 'vector'; source: string } & SignedRequest)
  /** `senders-by-their-packages.unit.spec.ts` asks that package. */
  | { by: 'package'; package: string }
  /** `node scripts/check-sender-proofs.mjs` asks that package, which is none of ours. */
  | ({ by: 'recorded'; package: string } & SignedRequest)
  /** A secret is sent along: nothing is signed. */
  | { by: 'comparison' }
  /** Only the rule written here signs it. */
  | { by: 'rule' };

const folder = new URL('published/', import.meta.url);

/** By the id of the sender. */
export const publishedSamples: ReadonlyMap<string, PublishedSample> = new Map(
  readdirSync(folder).map((file) => [
    file.replace(/\.json$/, ''),
    JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as PublishedSample,
  ]),
);

/** The body of a payload as it is sent. */
export function sentBody({ body }: Pick<PublishedPayload, 'body'>): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}
