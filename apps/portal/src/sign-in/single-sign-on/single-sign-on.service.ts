import { sanitizeName } from '#libs/sanitizer';
import { Problem } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { SETTINGS } from '../../settings.js';
import { SignInAttempts } from '../sign-in-attempts.js';
import type { Browser, StartedSession } from '../started-session.repository.js';
import { flowCookie, flowOf, noFlowCookie } from './flow-cookie.js';
import { type Claims, type Flow, Issuer } from './issuer.js';
import { type OidcSettings, roleOfClaim } from './oidc-settings.js';
import { returnPath } from './return-path.js';
import { type Person, type Refusal, SingleSignOnRepository } from './single-sign-on.repository.js';

/** Why somebody is sent back to the sign-in page, which explains it in words. */
export type SignInError =
  | Refusal
  | 'sign_in_refused'
  | 'sign_in_failed'
  | 'issuer_unavailable'
  | 'wrong_browser'
  | 'email_not_verified'
  | 'too_many_sign_ins';

export interface Finished {
  started: StartedSession;
  returnTo: string;
  /** Deletes the flow's cookie. */
  cookie: string;
}

@Injectable()
export class SingleSignOnService {
  private readonly logger = new Logger('sign-in');

  constructor(
    private readonly issuer: Issuer,
    private readonly people: SingleSignOnRepository,
    private readonly attempts: SignInAttempts,
    @Inject(SETTINGS) private readonly settings: OidcSettings,
  ) {}

  /** @returns an error where the issuer does not answer; @throws Problem 404 where no issuer is set */
  async start(id: string, returnTo: string | undefined): Promise<{ cookie: string; url: URL } | SignInError> {
    if (id !== issuerId || !this.issuer.isSet) {
      throw new Problem(404, 'sign_in_method_not_found', `There is no single sign-on with the id ${id}.`);
    }
    try {
      const { flow, url } = await this.issuer.start(returnPath(returnTo));
      return { cookie: flowCookie(this.settings, flow), url };
    } catch (error) {
      this.logger.warn({ event: 'sign_in.issuer_unavailable', error: String(error) });
      return 'issuer_unavailable';
    }
  }

  /** @param query of the callback's URL, unchanged */
  async finish(query: string, cookies: string | undefined, browser: Browser): Promise<Finished | SignInError> {
    const answer = new URLSearchParams(query);
    const state = answer.get('state') ?? '';
    const flow = this.issuer.isSet ? flowOf(this.settings, cookies, state) : null;
    // It costs nothing and guesses nothing. Counted by address, strangers would keep an office from signing in.
    if (!flow) return 'wrong_browser';
    if (this.attempts.isFlowSlowed(state)) return 'too_many_sign_ins';
    const outcome = await this.outcome(flow, query, answer, browser);
    if (typeof outcome === 'string') this.attempts.flowFailed(state);
    return outcome;
  }

  private async outcome(
    flow: Flow,
    query: string,
    answer: URLSearchParams,
    browser: Browser,
  ): Promise<Finished | SignInError> {
    if (answer.get('error') === 'access_denied') return 'sign_in_refused';
    let claims: Claims;
    try {
      claims = await this.issuer.finish(flow, query);
    } catch (error) {
      this.logger.warn({ event: 'sign_in.failed', error: String(error), cause: causeOf(error) });
      return 'sign_in_failed';
    }
    const person = this.personOf(claims);
    const started = await this.people.signIn(person, browser);
    if (started === 'not_invited' && person.email === null && typeof claims['email'] === 'string') {
      return 'email_not_verified';
    }
    if (typeof started === 'string') return started;
    const returnTo = returnPath(flow.returnTo);
    return { started, returnTo, cookie: noFlowCookie(this.settings.PUBLIC_URL, flow.state) };
  }

  private personOf(claims: Claims): Person {
    const { email, email_verified: verified } = claims;
    // Some issuers send it as text.
    const isVerified = verified === true || verified === 'true' || this.settings.OIDC_TRUST_EMAIL;
    const names = [claims['name'], claims['preferred_username'], email, claims.sub];
    return {
      issuer: claims.iss,
      subject: claims.sub,
      email: typeof email === 'string' && isVerified ? email.toLowerCase() : null,
      name: names.map(nameOf).find((name) => name !== '') ?? claims.sub,
      claimedRole: roleOfClaim(this.settings, claims),
      defaultRole: this.settings.OIDC_DEFAULT_ROLE,
    };
  }
}

export const issuerId = 'oidc';

function causeOf(error: unknown): string | null {
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : null;
}

const nameOf = (claim: unknown): string =>
  typeof claim === 'string' ? sanitizeName(claim).slice(0, 200).toWellFormed() : '';
