import { hasLeft } from '#libs/journal';
import { Problem, readCookie } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { CodeExchange, type Connected } from './code-exchange.service.js';
import { cookieName, digestOf, isDigestOf } from './flow-secrets.js';
import type { OauthFlow } from '../oauth-flows/oauth-flow.entity.js';
import { OauthFlowRepository } from '../oauth-flows/oauth-flow.repository.js';
import { SETTINGS, type VaultSettings } from '../settings.js';

/** A browser's return from a provider. */
export interface Callback {
  slug: string;
  query: URLSearchParams;
  cookies: string | undefined;
  /** Who is signed in there; null when the request does not say. */
  subject: string | null;
}

/** The right browser returned from a flow, and no connection was made. */
export class NotConnected extends Error {
  constructor(
    readonly flow: OauthFlow,
    override readonly cause: unknown,
  ) {
    super('The account was not connected.');
  }
}

/** Error codes of RFC 6749 section 4.1.2.1 and OpenID Connect Core 3.1.2.6. */
const providerErrors = new Set([
  'access_denied',
  'invalid_request',
  'invalid_scope',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_response_type',
  'consent_required',
  'login_required',
  'interaction_required',
]);

/** Checks an answer in this order: state, binding, `error`, `iss`, code. The code is sent only after all checks. */
@Injectable()
export class CallbackService {
  private readonly logger = new Logger('oauth');

  constructor(
    private readonly flows: OauthFlowRepository,
    private readonly exchange: CodeExchange,
    @Inject(SETTINGS) private readonly settings: VaultSettings,
  ) {}

  /**
   * @throws Problem 4xx with a code for each way in which an answer is not ours; 409 `project_moves`
   * @throws NotConnected for the right browser's return, caused by a Problem 4xx or 502 `exchange_failed`
   */
  async receive(callback: Callback): Promise<Connected> {
    const flow = await this.flowOf(callback.query);
    this.requireBinding(flow, callback);
    await this.requireHere(flow);
    // From here on the state is spent, whatever the answer says. Nobody gets a second try.
    if (!(await this.flows.consume(flow.id))) throw refused('state_used', 'This answer was already used.');
    try {
      return await this.connect(flow, callback.query);
    } catch (error) {
      throw new NotConnected(flow, error);
    }
  }

  /** What is connected where the project is not any more would be of no use, and the code is good for one place. */
  private async requireHere(flow: OauthFlow): Promise<void> {
    const held = await this.flows.hold(flow);
    if (!held) return;
    const is = hasLeft(held.state)
      ? `has moved to ${held.peer}: connect the account there`
      : 'moves: try again in a while';
    throw new Problem(409, 'project_moves', `The project ${flow.project_id} ${is}.`);
  }

  private connect(flow: OauthFlow, query: URLSearchParams): Promise<Connected> {
    const code = codeOf(flow, query);
    this.logger.log({ event: 'oauth.code_received', flow: flow.id, credential_id: flow.credential_id });
    return this.exchange.exchange(flow, code, query.get('state') ?? '', query.get('iss'));
  }

  private async flowOf(query: URLSearchParams): Promise<OauthFlow> {
    const states = query.getAll('state');
    if (states.length !== 1 || !states[0]) throw refused('state_missing', 'The answer has no state.');
    const found = await this.flows.findByState(digestOf(states[0]));
    if (!found) throw refused('state_unknown', 'No connection was started with this state.');
    if (found.flow.consumed_at) throw refused('state_used', 'This answer was already used.');
    if (found.expired) throw refused('state_expired', 'The connection took too long.');
    return found.flow;
  }

  private requireBinding(flow: OauthFlow, { cookies, subject, slug }: Callback): void {
    const cookie = readCookie(cookies, cookieName(this.settings.PUBLIC_URL, flow.id));
    if (!isDigestOf(flow.browser_hash, cookie))
      throw refused('wrong_browser', 'The connection was started in another browser.');
    if (subject !== null && !flow.subject.startsWith('link:') && subject !== flow.subject) {
      throw refused('wrong_user', 'The connection was started by someone else.');
    }
    if (slug !== flow.provider.slug)
      throw refused('wrong_provider', 'The answer was sent to the callback address of another provider.');
  }
}

function codeOf({ provider }: OauthFlow, query: URLSearchParams): string {
  for (const name of ['error', 'iss', 'code']) {
    if (query.getAll(name).length > 1) throw refused('invalid_answer', `The answer has ${name} twice.`);
  }
  const error = query.get('error');
  if (error !== null) {
    throw refused(
      providerErrors.has(error) ? `provider_${error}` : 'provider_error',
      'The provider refused the connection.',
    );
  }
  const iss = query.get('iss');
  if (iss === null && provider.iss_in_answers)
    throw refused('iss_missing', 'The answer has no iss, though the metadata of the provider promises it.');
  if (iss !== null && provider.issuer !== null && iss !== provider.issuer) {
    throw refused('iss_mismatch', 'The answer came from a different provider than the one that was asked.');
  }
  const code = query.get('code');
  if (!code || code.length > 4_096) throw refused('code_missing', 'The answer has no code.');
  return code;
}

function refused(code: string, detail: string): Problem {
  return new Problem(400, code, `${detail} Start the connection again.`);
}
