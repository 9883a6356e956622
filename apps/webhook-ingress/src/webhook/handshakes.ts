import type { Endpoint, HandshakeResult, MappedCredentials } from '#libs/contracts';
import type { ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { IngressSettings } from '../env.js';
import { inboundRequest, PublicAddress } from '../receipts/receipt-job.js';
import { GATEWAY } from '../services.js';
import { SETTINGS } from '../settings.js';
import { handshakeAnswer, handshakeFields, type HandshakeRequest, isDeclared } from './handshake.js';
import { type Answer, type Incoming, Refused } from '../request/incoming.js';
import { receiptOf } from '../receipts/receipt.repository.js';
import { looksLikeHandshake } from './looks-like-handshake.js';
import { Secrets } from './secrets.js';

type HandshakeSettings = Pick<IngressSettings, 'HANDSHAKE_TIMEOUT_MS' | 'HANDSHAKE_MAX_BODY_BYTES'>;

/** Answers handshakes: declared ones from the manifest, others through their App's adapter. */
@Injectable()
export class Handshakes {
  private readonly logger = new Logger('handshake');

  constructor(
    private readonly secrets: Secrets,
    @Inject(GATEWAY) private readonly gateway: ServiceClient,
    private readonly at: PublicAddress,
    @Inject(SETTINGS) private readonly settings: HandshakeSettings,
  ) {}

  /**
   * Answers a GET, which is never a message. It has nothing to sign, so the adapter is asked without verification.
   * @throws Refused 403, 405, 503; any error of the adapter, which becomes a 503
   */
  async answerGet(endpoint: Endpoint, incoming: Incoming): Promise<Answer> {
    const request = requestOf(incoming);
    const { handshake } = endpoint;
    const declared =
      handshake && isDeclared(handshake, request) ? await this.declaredAnswer(endpoint, handshake, request) : null;
    if (declared) return declared;
    const asked = endpoint.kind === 'adapter' ? await this.ask(endpoint, incoming, false, false) : null;
    if (asked?.answer) return asked.answer;
    throw new Refused(405, 'method_not_allowed', 'Send POST.', { allow: 'POST' });
  }

  /** Whether a POST may be a handshake, decided without asking anybody; otherwise it is a message. */
  mayBe({ handshake, adapter_handshake: asksAdapter }: Endpoint, incoming: Incoming): boolean {
    if (incoming.body.length > this.settings.HANDSHAKE_MAX_BODY_BYTES) return false;
    if (handshake?.method === 'POST') return isDeclared(handshake, requestOf(incoming));
    return asksAdapter && looksLikeHandshake(incoming);
  }

  /**
   * Answers a POST that may be a handshake, once this service or the adapter has accepted its signature.
   * @param verified this service has checked its signature, or there is none to check
   * @returns null when it is a message, or when the adapter cannot tell: it is then stored, and parsed when the adapter
   * can
   * @throws Refused 401 when the adapter does not accept it, 403, 503
   */
  async answerPost(endpoint: Endpoint, incoming: Incoming, verified: boolean): Promise<Answer | null> {
    const { handshake } = endpoint;
    const declared = handshake?.method === 'POST' && handshake.respond !== 'adapter' ? handshake : null;
    const asked =
      declared && verified ? { answer: null } : await this.tryAdapter(endpoint, incoming, verified, declared !== null);
    if (asked?.refused) throw notAccepted(asked.refused.error);
    if (!asked || !declared) return asked?.answer ?? null;
    return this.declaredAnswer(endpoint, declared, requestOf(incoming));
  }

  private async declaredAnswer(
    endpoint: Endpoint,
    declared: NonNullable<Endpoint['handshake']>,
    request: HandshakeRequest,
  ): Promise<Answer | null> {
    const answerWith = (fields: MappedCredentials) =>
      handshakeAnswer(declared, request, (field) => secretOf(fields[field]));
    const answer =
      handshakeFields(declared).length > 0 ? await this.secrets.checked(endpoint, answerWith) : answerWith({});
    if (!answer) return null;
    // The value comes from the request: no browser may render it as a page.
    const headers = { ...answer.headers, 'content-type': answer.contentType, 'x-content-type-options': 'nosniff' };
    return { status: answer.status, headers, body: answer.body };
  }

  private async tryAdapter(
    endpoint: Endpoint,
    incoming: Incoming,
    verified: boolean,
    declared: boolean,
  ): Promise<HandshakeResult | null> {
    try {
      return await this.ask(endpoint, incoming, verified, declared);
    } catch (error) {
      this.logger.warn({ event: 'handshake.not_asked', app: endpoint.app_id, error: String(error) });
      return null;
    }
  }

  /** @param declared the adapter only has to accept the request, not to supply the answer */
  private async ask(
    endpoint: Endpoint,
    incoming: Incoming,
    verified: boolean,
    declared: boolean,
  ): Promise<HandshakeResult> {
    const asked = this.gateway.post<HandshakeResult>(
      `/internal/apps/${endpoint.app_id}/handshake`,
      { organizationId: endpoint.organization_id, projectId: endpoint.project_id },
      {
        request: inboundRequest(receiptOf(endpoint, incoming, null), this.at),
        received_at: new Date().toISOString(),
        verified,
        declared,
      },
    );
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () => reject(new Error('the adapter did not answer in time')),
        this.settings.HANDSHAKE_TIMEOUT_MS,
      );
    });
    try {
      return await Promise.race([asked, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function requestOf({ method, url, headers, body }: Incoming): HandshakeRequest {
  const question = url.indexOf('?');
  return { method, headers, body, query: new URLSearchParams(question < 0 ? '' : url.slice(question)) };
}

/** The sender sees only a code of the contract, not the adapter's own text. */
function notAccepted(error: string): Refused {
  const code = /^[a-z_]{1,50}$/.test(error) ? error : 'refused';
  return new Refused(401, code, "The App's adapter did not accept this request.");
}

/** The first of several secrets that are valid during a rotation; null when there is none. */
function secretOf(value: MappedCredentials[string] | undefined): string | null {
  const [first] = [value].flat();
  return typeof first === 'string' ? first : null;
}
