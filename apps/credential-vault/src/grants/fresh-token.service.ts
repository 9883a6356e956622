import type { ProjectScope } from '#libs/contracts';
import { notFound, Problem } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { DoesNotOpen } from '../sealing/aead.js';
import type { Secret } from '../sealing/secret.js';
import { GrantSealer } from './grant-sealer.js';
import type { OauthGrant } from './grant.entity.js';
import { SETTINGS, type VaultSettings } from '../settings.js';
import { StoredTokens } from './stored-tokens.service.js';
import { GrantRepository, type TimedGrant } from './grant.repository.js';
import { Refresher } from './refresher.service.js';

export interface GivenTokens {
  /** `access_token`, `refresh_token` where there is one, and what the provider said with them. */
  values: ReadonlyMap<string, Secret>;
  /** Of the grant; whoever reports a refused token names it. */
  version: number;
}

interface Wanted {
  leastSeconds?: number | undefined;
  uncached?: boolean;
  /** The credential has tokens among its fields, which are moved into its grant first. */
  storedTokens?: boolean;
  /** The version whose access token the provider refused. */
  refused?: number | undefined;
}

/** Gives callers of oauth2 credentials an access token that lives long enough for their call. */
@Injectable()
export class FreshTokenService {
  private readonly logger = new Logger('refresh');
  private readonly reading = new Map<string, Promise<TimedGrant | null>>();

  constructor(
    private readonly grants: GrantRepository,
    private readonly refresher: Refresher,
    private readonly sealer: GrantSealer,
    private readonly stored: StoredTokens,
    @Inject(SETTINGS) private readonly settings: VaultSettings,
  ) {}

  /**
   * The tokens of a grant, and what its provider said with them. `access_token` is valid for at least `leastSeconds`, or
   * for half its life if its whole life is shorter than twice that. Waits for a refresh up to `REFRESH_WAIT_MS`. A token
   * that was refused is replaced, once, if it still is the current one and can be: the caller sees by the version whether
   * it got another one.
   * @returns null when the credential has no grant: its tokens are then fields that somebody stored
   * @throws Problem 503 `refresh_pending` (try again), 409 `not_connected`, `needs_reconnect`, `revoked`,
   *   `credential_undecryptable`, 404 `credential_not_found` when it was deleted during the wait for a refresh
   */
  async of(
    scope: ProjectScope,
    credentialId: string,
    { leastSeconds, uncached = false, storedTokens = false, refused }: Wanted = {},
  ): Promise<GivenTokens | null> {
    if (storedTokens) await this.stored.moveForUse(scope, credentialId);
    const least = leastSeconds ?? this.settings.ACCESS_TOKEN_MIN_VALID_SECONDS;
    // A read that others share may have begun before a change of which the caller has heard.
    const read = (when: string): Promise<TimedGrant | null> =>
      uncached || refused !== undefined ? this.grants.find(scope, credentialId) : this.read(scope, credentialId, when);
    let found = await read('first');
    if (!found) return null;
    requireUsable(found.grant);
    const replaced = refused === found.grant.version && (await this.mayReplace(found.grant));
    if (refused === found.grant.version && !replaced) {
      // Another caller may have had it replaced since it was read.
      found = await read('again');
      if (!found) throw notFound('credential', credentialId);
      requireUsable(found.grant);
    }
    if (!replaced && isFresh(found, least)) {
      if (found.due && found.waitSeconds <= 0) this.refresher.start(credentialId, found.grant.version);
      return this.open(found.grant);
    }
    await this.waitFor(this.refresher.refresh(credentialId, found.grant.version), credentialId);
    const now = await read(`after ${found.grant.version}`);
    if (!now) throw notFound('credential', credentialId);
    requireUsable(now.grant);
    const moved = now.grant.version !== found.grant.version;
    if (isFresh(now, least) && (moved || !replaced)) return this.open(now.grant);
    throw pending(now);
  }

  /** A new token is requested only where the grant can get one. */
  private async mayReplace(grant: OauthGrant): Promise<boolean> {
    if (grant.refresh_token === null && grant.grant_type !== 'client_credentials') return false;
    const noted = await this.grants.noteRefused(grant, this.settings.REFRESH_AFTER_REFUSAL_SECONDS);
    const { credential_id, version } = grant;
    this.logger.warn({ event: 'token.refused', credential_id, version, replaced: noted });
    return noted;
  }

  /**
   * Concurrent callers share one read of the row. Otherwise a hundred of them would wait for connections.
   * @param when keeps callers that waited for a refresh from joining a query that began before the refresh ended
   */
  private read(scope: ProjectScope, credentialId: string, when: string): Promise<TimedGrant | null> {
    const key = [scope.organizationId, scope.projectId, credentialId, when].join(' ');
    const joined = this.reading.get(key);
    if (joined) return joined;
    const query = this.grants.find(scope, credentialId).finally(() => this.reading.delete(key));
    this.reading.set(key, query);
    return query;
  }

  private async waitFor(refresh: Promise<void>, credentialId: string): Promise<void> {
    const noted = refresh.catch((error: unknown) => {
      this.logger.warn({ event: 'refresh.failed', credential_id: credentialId, error: String(error) });
    });
    await Promise.race([noted, sleep(this.settings.REFRESH_WAIT_MS, undefined, { ref: false })]);
  }

  private async open(grant: OauthGrant): Promise<GivenTokens> {
    try {
      const { accessToken, refreshToken, answerFields } = await this.sealer.openTokens(grant);
      const values = new Map([
        ...answerFields,
        ['access_token', accessToken],
        ...(refreshToken ? [['refresh_token', refreshToken] as const] : []),
      ]);
      return { values, version: grant.version };
    } catch (error) {
      if (!(error instanceof DoesNotOpen)) throw error;
      this.logger.error({ event: 'credential.undecryptable', credential_id: grant.credential_id, kid: grant.kid });
      await this.grants.end(grant, 'undecryptable', 'its tokens cannot be opened');
      throw undecryptable(grant.credential_id);
    }
  }
}

function isFresh({ grant, validFor }: TimedGrant, leastSeconds: number): boolean {
  if (!grant.access_token) return false;
  if (validFor === null) return true;
  const life = ((grant.at_expires_at?.getTime() ?? 0) - (grant.obtained_at?.getTime() ?? 0)) / 1_000;
  return validFor >= Math.min(leastSeconds, life / 2);
}

function requireUsable({ credential_id: id, state, reason }: OauthGrant): void {
  if (state === 'active' || state === 'degraded') return;
  if (state === 'undecryptable') throw undecryptable(id);
  const details = {
    pending: ['not_connected', `Credential ${id} is not connected: connect it first.`],
    needs_reconnect: ['needs_reconnect', `Credential ${id} must be connected again: ${reason ?? 'its grant ended'}.`],
    revoked: ['revoked', `Credential ${id} was revoked.`],
  } as const;
  throw new Problem(409, details[state][0], details[state][1]);
}

function undecryptable(id: string): Problem {
  return new Problem(
    409,
    'credential_undecryptable',
    `The tokens of credential ${id} cannot be opened: restore the key, or connect it again.`,
  );
}

function pending({ grant, waitSeconds }: TimedGrant): Problem {
  const why = grant.reason ? ` (${grant.reason})` : '';
  return new Problem(
    503,
    'refresh_pending',
    `Credential ${grant.credential_id} is being refreshed${why}: try again.`,
    [],
    {
      'retry-after': String(Math.min(60, Math.max(1, Math.ceil(waitSeconds)))),
    },
  );
}
