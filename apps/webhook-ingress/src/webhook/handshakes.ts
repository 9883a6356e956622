import type { Endpoint, MappedCredentials } from '#libs/contracts';
import type { ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { gatewayClient } from '../endpoints/endpoints.service.js';
import { inboundRequest, type PublicAddress, publicAddress } from '../receipts/parse-job.js';
import { handshakeAnswer, handshakeFields } from './handshake.js';
import { type Answer, type Incoming, receiptOf } from './incoming.js';
import { Refused } from './refused.js';
import { Secrets } from './secrets.js';

/** A person, and most providers, wait for three seconds. */
const adapterTimeoutMs = 2_500;

/** Answers handshakes: declared ones with what is known here, those of an App that waits for one through its adapter. */
@Injectable()
export class Handshakes {
  private readonly logger = new Logger('handshake');

  constructor(
    @Inject(Secrets) private readonly secrets: Secrets,
    @Inject(gatewayClient) private readonly gateway: ServiceClient,
    @Inject(publicAddress) private readonly at: PublicAddress,
  ) {}

  /** Whether the request may be a handshake: else it is a message. */
  mayBe(endpoint: Endpoint, incoming: Incoming): boolean {
    return incoming.method !== 'POST' || endpoint.handshake !== null || endpoint.adapter_handshake;
  }

  /**
   * @returns null when the request is a message
   * @throws Refused 403, 405, 503; for a GET any error of the adapter's, which is a 503
   */
  async answer(endpoint: Endpoint, incoming: Incoming): Promise<Answer | null> {
    const declared = await this.answerDeclared(endpoint, incoming);
    if (declared) return declared;
    if (incoming.method === 'POST') return endpoint.adapter_handshake ? this.tryAdapter(endpoint, incoming) : null;
    const answer = endpoint.kind === 'adapter' ? await this.askAdapter(endpoint, incoming) : null;
    if (answer) return answer;
    throw new Refused(405, 'method_not_allowed', 'Send POST.', { allow: 'POST' });
  }

  private async answerDeclared(endpoint: Endpoint, incoming: Incoming): Promise<Answer | null> {
    const { handshake } = endpoint;
    if (!handshake || handshake.method !== incoming.method) return null;
    const fields = handshakeFields(handshake).length > 0 ? await this.secrets.fields(endpoint) : {};
    const query = new URL(incoming.url, 'http://localhost').searchParams;
    const request = { method: incoming.method, query, body: incoming.body };
    const answer = handshakeAnswer(handshake, request, (field) => secretOf(fields[field]));
    if (!answer) return null;
    // The value comes from the request: no browser may take it for a page.
    const headers = { 'content-type': answer.contentType, 'x-content-type-options': 'nosniff' };
    return { status: 200, headers, body: answer.body };
  }

  /** A POST may as well be a message: it is stored when the adapter cannot say, and parsed when it can. */
  private async tryAdapter(endpoint: Endpoint, incoming: Incoming): Promise<Answer | null> {
    try {
      return await this.askAdapter(endpoint, incoming);
    } catch (error) {
      this.logger.warn({ event: 'handshake.not_asked', app: endpoint.app_id, error: String(error) });
      return null;
    }
  }

  private async askAdapter(endpoint: Endpoint, incoming: Incoming): Promise<Answer | null> {
    const asked = this.gateway.post<{ answer: Answer | null }>(
      `/internal/apps/${endpoint.app_id}/handshake`,
      { organizationId: endpoint.organization_id, projectId: endpoint.project_id },
      {
        request: inboundRequest(receiptOf(endpoint, incoming, null), this.at),
        received_at: new Date().toISOString(),
      },
    );
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('the adapter did not answer in time')), adapterTimeoutMs);
    });
    try {
      return (await Promise.race([asked, late])).answer;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The first of several that are valid during a rotation; null where there is none. */
function secretOf(value: MappedCredentials[string] | undefined): string | null {
  const [first] = [value].flat();
  return typeof first === 'string' ? first : null;
}
