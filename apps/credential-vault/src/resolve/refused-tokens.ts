import type { ProjectScope } from '#libs/contracts';
import { Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { GivenTokens } from '../grants/fresh-token.service.js';
import { GrantRepository } from '../grants/grant.repository.js';
import { SETTINGS, type VaultSettings } from '../settings.js';
import { Verifier } from '../verification/verifier.js';

const maxAsked = 10_000;

/**
 * A refused access token that no request can replace: there is no refresh token, or it has itself replaced a refused one.
 * One refused call does not end a grant, since the adapter or a missing right may be the cause. So the provider is asked
 * by `/verify`. If it refuses there too, the account has to be connected again, and work waits until it is.
 */
@Injectable()
export class RefusedTokens {
  /** By credential and version: what is being asked, or was answered, and when. */
  private readonly asked = new Map<string, { atMs: number; refused: Promise<boolean | null> }>();

  constructor(
    private readonly verifier: Verifier,
    private readonly grants: GrantRepository,
    @Inject(SETTINGS) private readonly settings: VaultSettings,
  ) {}

  /** @throws Problem 409 `needs_reconnect` when `/verify` refuses the tokens too */
  async settle(caller: ProjectScope & { subject: string }, id: string, tokens: GivenTokens): Promise<void> {
    if (!(await this.once(`${id} ${tokens.version}`, () => this.endIfRefused(caller, id, tokens)))) return;
    throw new Problem(409, 'needs_reconnect', `Credential ${id} must be connected again: its provider refuses it.`);
  }

  /** However many calls report the same token, the provider is asked once in the time that the setting says. */
  private once(key: string, ask: () => Promise<boolean | null>): Promise<boolean | null> {
    const nowMs = Date.now();
    const before = this.asked.get(key);
    if (before && nowMs - before.atMs < this.settings.REFRESH_AFTER_REFUSAL_SECONDS * 1_000) return before.refused;
    if (this.asked.size >= maxAsked) this.asked.clear();
    const refused = ask();
    this.asked.set(key, { atMs: nowMs, refused });
    const forget = (): boolean => this.asked.delete(key);
    refused.then((answer) => answer === null && forget(), forget);
    return refused;
  }

  private async endIfRefused(
    caller: ProjectScope & { subject: string },
    id: string,
    { version, values }: GivenTokens,
  ): Promise<boolean | null> {
    const grant = (await this.grants.find(caller, id))?.grant;
    // Nobody connects a grant of client credentials.
    if (grant?.version !== version || grant.grant_type !== 'authorization_code') return false;
    const refused = await this.verifier.refuses(caller, id, values, grant.provider_slug || null);
    if (refused) await this.grants.end(grant, 'needs_reconnect', 'access_token_refused');
    return refused;
  }
}
