import type { EventBody, InboundRequest } from '#libs/contracts';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { ingressClient } from '../ingress-client.js';
import type { Scope } from '../replayer.js';

/** Reads what was received for an event where it is kept: in the receipt, which the ingress owns. */
@Injectable()
export class EventBodies {
  constructor(@Inject(ingressClient) private readonly ingress: ServiceClient) {}

  /** @throws Problem 404 `event_body_not_found`, 503 */
  async read(scope: Scope, eventId: string): Promise<EventBody> {
    try {
      const path = `/internal/receipts/${encodeURIComponent(eventId)}`;
      const { request } = await this.ingress.get<{ request: InboundRequest }>(path, scope);
      const { body, body_encoding, headers } = request;
      return { body, body_encoding, content_type: [headers['content-type'] ?? null].flat()[0] ?? null };
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 404) throw error;
      const detail = `There is no stored body of ${eventId} in this project: it came by the API, or is no longer kept.`;
      throw new Problem(404, 'event_body_not_found', detail);
    }
  }
}
