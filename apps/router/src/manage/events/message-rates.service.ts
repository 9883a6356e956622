import type { ProjectScope } from '#libs/contracts';
import { Database } from '#libs/database';
import { countsByApp } from '#libs/journal';
import { readCursor } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { EventFilter } from './event-filter.js';
import { EventSearch, type ListedEvent } from './event-search.service.js';

/** Of a span: events by the state that lists show, and requests that were refused before they became events. */
export interface MessageRates {
  events: number;
  failed: number;
  waiting: number;
  refused: number;
}

/** The newest events of a span stand for all of them. */
const sample = 1_000;
const chunk = 500;
const failed: readonly string[] = ['failed', 'undelivered', 'unconfirmed', 'dead'];
const uncounted: readonly string[] = ['verification', 'challenge'];

@Injectable()
export class MessageRatesService {
  constructor(
    private readonly db: Database,
    private readonly events: EventSearch,
  ) {}

  async of(scope: ProjectScope, minutes: number): Promise<MessageRates> {
    const { organizationId, projectId } = scope;
    const [from, to] = [new Date(Date.now() - minutes * 60_000), new Date(Date.now() + 60_000)];
    const [{ states }, counts] = await Promise.all([
      this.states({ organizationId, projectId }, from.toISOString()),
      countsByApp(this.db, { organizationId, projectId, appId: null, from, to }),
    ]);
    const refused = counts.filter(({ measure }) => measure === 'refused');
    return {
      events: states.length,
      failed: states.filter((one) => failed.includes(one.state)).length,
      waiting: states.filter(waits).length,
      refused: refused.reduce((sum, { count }) => sum + count, 0),
    };
  }

  /**
   * Events that were received since then, each with its state; without requests of Verify and handshakes.
   * @returns `cut`: there are more
   * @throws Problem 422 for an invalid time
   */
  async states(
    { organizationId, projectId }: ProjectScope,
    since: string,
  ): Promise<{ states: ListedEvent[]; cut: boolean }> {
    const states: ListedEvent[] = [];
    const filter = Object.assign(new EventFilter(), { since, limit: chunk });
    while (states.length < sample) {
      const { data, next_cursor: next } = await this.events.page({ organizationId, projectId }, filter);
      states.push(...data.filter(({ state }) => !uncounted.includes(state)));
      if (next === null) return { states, cut: false };
      filter.cursor = readCursor(next);
    }
    return { states, cut: true };
  }
}

/** A reply that is to be sent again waits, too. */
function waits({ state, result }: ListedEvent): boolean {
  return state === 'waiting' || (state === 'delivering' && result?.reason != null);
}
