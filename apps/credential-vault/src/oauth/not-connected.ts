import type { OauthFlow } from '../oauth-flows/oauth-flow.entity.js';

/** A flow that its own browser came back with, and that led to no connection. */
export class NotConnected extends Error {
  constructor(
    readonly flow: OauthFlow,
    override readonly cause: unknown,
  ) {
    super('The account was not connected.');
  }
}
