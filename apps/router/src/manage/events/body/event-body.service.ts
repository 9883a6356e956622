import type { EventBody, ProjectScope, StoredRequest } from '#libs/contracts';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { INGRESS } from '../../../env.js';
import type { EventRequestView } from './event-request.dto.js';
import { maskedRequest } from './masked-request.js';

/** Reads what was received for an event from its receipt, which the ingress owns. */
@Injectable()
export class EventBodyService {
  constructor(@Inject(INGRESS) private readonly ingress: ServiceClient) {}

  /** @throws Problem 404 `event_body_not_found`, 503 */
  async read(scope: ProjectScope, eventId: string): Promise<EventBody> {
    const { body, body_encoding, headers } = (await this.stored(scope, eventId)).request;
    return { body, body_encoding, content_type: [headers['content-type'] ?? null].flat()[0] ?? null };
  }

  /** @throws Problem as `read` */
  async request(scope: ProjectScope, eventId: string): Promise<EventRequestView> {
    return maskedRequest(eventId, await this.stored(scope, eventId));
  }

  private async stored(scope: ProjectScope, eventId: string): Promise<StoredRequest> {
    try {
      return await this.ingress.get<StoredRequest>(`/internal/receipts/${encodeURIComponent(eventId)}`, scope);
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 404) throw error;
      const detail = `There is no stored body of ${eventId} in this project: the event came through the API, or its body is no longer kept.`;
      throw new Problem(404, 'event_body_not_found', detail);
    }
  }
}
