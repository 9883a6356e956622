import type { Problem, ReachedLimit } from '#libs/service-kit';

/** Why a request is not accepted: the status and code of the answer, and what the sender can do. */
export class Refused extends Error {
  override readonly name = 'Refused';
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly headers: Record<string, string> = {},
    /** Of a 429. */
    readonly limit?: ReachedLimit,
  ) {
    super(code);
  }
}

/** What all services refuse alike is given in the form of a webhook's refusals. */
export function asRefused({ status, code, detail, headers, limit }: Problem): Refused {
  return new Refused(status, code, detail, headers, limit);
}

/** One answer for every path and token that does not exist, so that it reveals nothing. */
export const unknownPath = new Refused(404, 'not_found', 'There is nothing here.');
