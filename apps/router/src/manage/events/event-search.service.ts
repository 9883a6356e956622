import type { ProjectScope } from '#libs/contracts';
import { Database, type Queryable } from '#libs/database';
import { type EventResult, type EventSummary, lastEntries, listEvents } from '#libs/journal';
import { type Behind, ListReads, withBehind } from '#libs/list-reads';
import { type Page, pageOf, type Principal, readCursor, writeCursor } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { type RouterSettings, SETTINGS } from '../../env.js';
import { EventFilter, journalFilter, messageFilter } from './event-filter.js';
import { EventResultRepository } from './event-result.repository.js';
import { type EventState, eventState } from './outcome-words.js';
import { waitInWords } from './waits.js';
import { MessageFactRepository, type MessageFacts, type MessageFilter } from './message-fact.repository.js';

/**
 * An event in a list. The facts of its first message are absent if it never became one; `result` is null without turns.
 */
export type ListedEvent = EventSummary & Partial<MessageFacts> & { result: EventResult | null } & EventState;

const chunk = 500;

/** Lists and searches events. */
@Injectable()
export class EventSearch {
  constructor(
    private readonly db: Database,
    private readonly messages: MessageFactRepository,
    private readonly results: EventResultRepository,
    private readonly reads: ListReads,
    @Inject(SETTINGS) private readonly settings: RouterSettings,
  ) {}

  /** A page for whoever looks at it, which may lag. */
  async list(caller: Principal, filter: EventFilter): Promise<Page<ListedEvent> & Behind> {
    return withBehind(await this.reads.read('events', caller, (db) => this.page(caller, filter, db)));
  }

  /** A page for whoever decides by it. */
  async page(scope: ProjectScope, filter: EventFilter, db: Queryable = this.db): Promise<Page<ListedEvent>> {
    const wanted = messageFilter(filter);
    if (wanted || filter.outcome === 'open' || filter.result !== undefined)
      return this.search(db, scope, filter, wanted);
    const rows = await listEvents(db, { ...scope, ...journalFilter(filter), limit: filter.limit + 1 });
    const page = pageOf(rows, filter.limit, (row) => row.id);
    const ids = page.data.map(({ id }) => id);
    const facts = await this.messages.of(scope, ids, undefined, db);
    return { ...page, data: await this.listed(db, scope, page.data, facts) };
  }

  /** The ids of at most `max` events that match a filter, and whether there may be more. */
  async ids(scope: ProjectScope, filter: EventFilter, max: number): Promise<{ ids: string[]; more: boolean }> {
    const ids: string[] = [];
    let cursor: string | null = filter.cursor ?? null;
    for (let scanned = 0; scanned < this.settings.EVENT_SEARCH_SCAN; scanned += chunk) {
      const limit = Math.min(chunk, max - ids.length);
      const page: Page<ListedEvent> = await this.page(
        scope,
        Object.assign(new EventFilter(), filter, { limit, cursor: cursor ?? undefined }),
      );
      ids.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor === null ? null : readCursor(page.next_cursor);
      if (cursor === null || ids.length >= max) break;
    }
    return { ids, more: cursor !== null };
  }

  /**
   * Scans the journal for what no index covers (a certain message, no outcome), as far as one search may. The page can
   * be short or empty, with a cursor to continue from.
   */
  private async search(
    db: Queryable,
    scope: ProjectScope,
    filter: EventFilter,
    wanted: MessageFilter | null,
  ): Promise<Page<ListedEvent>> {
    const found: ListedEvent[] = [];
    const query = { ...scope, ...journalFilter(filter), limit: chunk };
    for (let scanned = 0; scanned < this.settings.EVENT_SEARCH_SCAN; scanned += chunk) {
      const rows = await listEvents(db, query);
      const open = filter.outcome === 'open' ? rows.filter(({ outcome }) => outcome === null) : rows;
      const ids = open.map(({ id }) => id);
      const facts = await this.messages.of(scope, ids, wanted ?? undefined, db);
      const passing = wanted ? open.filter(({ id }) => facts.has(id)) : open;
      const whole = await this.listed(db, scope, passing, facts);
      found.push(...whole.filter(({ result }) => filter.result === undefined || result?.state === filter.result));
      if (found.length > filter.limit) return pageOf(found, filter.limit, (event) => event.id);
      if (rows.length < chunk) return { data: found, next_cursor: null };
      query.cursor = rows.at(-1)?.id ?? null;
    }
    return { data: found, next_cursor: query.cursor === null ? null : writeCursor(query.cursor) };
  }

  private async listed(
    db: Queryable,
    scope: ProjectScope,
    events: EventSummary[],
    facts: Map<string, MessageFacts>,
  ): Promise<ListedEvent[]> {
    const open = events.filter(({ outcome }) => outcome === null).map(({ id }) => id);
    const [results, last] = await Promise.all([
      this.results.of(
        scope,
        events.map(({ id }) => id),
        db,
      ),
      lastEntries(db, scope, open),
    ]);
    return events.map((event) => {
      const { id, outcome, reason } = event;
      const result = results.get(id) ?? null;
      return { ...event, ...facts.get(id), result, ...eventState(outcome, reason, result, waitInWords(last.get(id))) };
    });
  }
}
