import type { ProjectScope } from '#libs/contracts';
import type { ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { ReportedItem } from '../attention/attention-list.js';
import { ROUTER } from '../services.js';
import type { RateBound } from './alert-rule.entity.js';

/** What the router counts: events by the state that lists show, and requests that were refused. */
export interface MessageRates {
  events: number;
  failed: number;
  waiting: number;
  refused: number;
}

const words = { failed: 'failed', refused: 'were refused', waiting: 'wait' };
const advice = {
  failed: 'See the problems by their cause, and what changed before them.',
  refused: 'See the refused requests, and whether senders have the right secret.',
  waiting: 'See what they wait for: the list of events names it.',
};

/** Whose report the item of a rate is in. */
export const ratesService = 'rates';

@Injectable()
export class ProjectRates {
  constructor(@Inject(ROUTER) private readonly router: Pick<ServiceClient, 'get'>) {}

  /** @throws Problem 503 when the router does not answer */
  of(scope: ProjectScope, minutes: number): Promise<MessageRates> {
    return this.router.get(`/internal/message-rates?minutes=${minutes}`, scope);
  }
}

/** The item of a rate that needs attention; null: it is within its bound. */
export function itemOfRate(
  { measure, over_percent, minutes, at_least }: RateBound,
  rates: MessageRates,
): ReportedItem | null {
  const all = rates.events + (measure === 'refused' ? rates.refused : 0);
  const count = rates[measure];
  if (all < at_least || count * 100 <= over_percent * all) return null;
  return {
    code: `rate_${measure}`,
    severity: 'error',
    text: `${count} of ${all} messages of the last ${minutes} min ${words[measure]} (${Math.round((count * 100) / all)} %, over ${over_percent} %).`,
    what_to_do: advice[measure],
    resource: { kind: 'messages', id: null },
    count,
    since: null,
    scope: 'events:read',
    service: ratesService,
  };
}
