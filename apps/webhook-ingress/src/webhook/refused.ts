/** Why a request is not accepted: the status and code of the answer, and what the sender can do. */
export class Refused extends Error {
  override readonly name = 'Refused';
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(code);
  }
}

/** One answer for every path and token that does not exist, so that it reveals nothing. */
export const unknownPath = new Refused(404, 'not_found', 'There is nothing here.');
