import type { Order, ProjectScope } from '#libs/contracts';
import { Database } from '#libs/database';
import { type EventResult, latestEntries } from '#libs/journal';
import { containing, invalidCursor, type Page, writeCursor } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { activeStates } from '../../entities/turn.entity.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { resultOf, sessionColumns, type SessionRow } from './session.repository.js';

/** `last_message`: by the newest message; `created`: by when it began. */
export const sessionSorts = ['created', 'last_message'] as const;
export type SessionSort = (typeof sessionSorts)[number];

/** What a reader has not read, has been assigned, or is waited for in. */
export const sessionInboxes = ['unread', 'assigned', 'waiting'] as const;
export type SessionInbox = (typeof sessionInboxes)[number];

/** A session as a list shows it. */
export interface ListedSession extends SessionRow {
  /** The beginning of the newest message; null: there is none, or the reader may not see messages. */
  last_text: string | null;
  last_message_at: Date;
  /** Of the turn in progress, or of the newest: that of its event. Null: there is none, or nothing is recorded of it. */
  result: EventResult | null;
  /** Whether a message came since the reader last read it. */
  unread: boolean;
  /** Whether a call waits for the reader's decision, or a sender for a person's answer. */
  waits_for_me: boolean;
}

export interface SessionFilter {
  /** `user:<id>` or `key:<id>`. */
  reader: string;
  inbox: SessionInbox | null;
  status: string | null;
  appId: string | null;
  contactId: string | null;
  search: string | null;
  cursor: string | null;
  sort: SessionSort;
  order: Order;
  limit: number;
  /** Whether messages may be shown, and searched. */
  withText: boolean;
}

interface Candidate {
  id: string;
  /** Where a page that ends with it continues. */
  place: string;
  matches: boolean;
}

const lastTextChars = 200;
/** Of each session, a search reads the newest turns. */
const searchedTurns = 100;

const unread = (reader: string): string =>
  `NOT EXISTS (SELECT FROM engine.session_seen v
               WHERE v.session_id = s.id AND v.subject = ${reader} AND v.seen_at >= s.updated_at)`;
const waitsFor = (reader: string): string =>
  `((s.status = 'taken_over' AND coalesce(s.assigned_to, ${reader}) = ${reader}
     AND EXISTS (SELECT FROM engine.turn t WHERE t.session_id = s.id AND t.state = 'waiting'))
    OR EXISTS (SELECT FROM engine.turn t JOIN engine.approval a ON a.turn_id = t.id
                WHERE t.session_id = s.id AND t.state = 'waiting_approval' AND a.state = 'pending'
                  AND ${reader} = ANY(a.approvers) AND (a.decide_own OR NOT ${reader} = ANY(a.requested_by))))`;

const listedSql = `${sessionColumns}, ${unread('$3')} AS unread, ${waitsFor('$3')} AS waits_for_me, s.updated_at AS last_message_at,
         CASE WHEN $2 THEN (SELECT left(t.input #>> '{message,message}', ${lastTextChars}) FROM engine.turn t
           WHERE t.session_id = s.id ORDER BY t.id DESC LIMIT 1) END AS last_text,
         (SELECT json_build_object('id', t.id, 'receipt_id', t.receipt_id) FROM engine.turn t
           WHERE t.session_id = s.id AND t.state <> 'collected'
           ORDER BY t.state IN ${activeStates} DESC, t.id DESC LIMIT 1) AS turn
    FROM unnest($1::text[]) WITH ORDINALITY AS page (id, at) JOIN engine.session s ON s.id = page.id ORDER BY page.at`;

const matchSql = `$7::text IS NULL OR s.key ILIKE $7 OR ($8 AND EXISTS (
           SELECT FROM (SELECT t.input, t.reply_text FROM engine.turn t WHERE t.session_id = s.id
                         ORDER BY t.id DESC LIMIT ${searchedTurns}) t
            WHERE t.input #>> '{message,message}' ILIKE $7 OR t.input #>> '{message,sender}' ILIKE $7
               OR t.reply_text ILIKE $7))`;

/** Lists and searches sessions. */
@Injectable()
export class SessionListRepository {
  constructor(
    private readonly db: Database,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /**
   * No index covers the texts of messages: one request searches SESSION_SEARCH_SCAN sessions. Its page can be short or
   * empty, with a cursor to continue from.
   */
  async page(organizationId: string, projectId: string, filter: SessionFilter): Promise<Page<ListedSession>> {
    const scan = filter.search === null ? filter.limit + 1 : this.settings.SESSION_SEARCH_SCAN;
    const candidates = await this.candidates(organizationId, projectId, filter, scan);
    const matching = candidates.filter(({ matches }) => matches);
    const shown = matching.slice(0, filter.limit);
    const next = matching.length > shown.length ? shown.at(-1) : candidates[scan - 1];
    const data = await this.listed(
      { organizationId, projectId },
      shown.map(({ id }) => id),
      filter,
    );
    return { data, next_cursor: next ? writeCursor(next.place) : null };
  }

  private async candidates(
    organizationId: string,
    projectId: string,
    { reader, inbox, status, appId, contactId, search, cursor, sort, order, withText }: SessionFilter,
    scan: number,
  ): Promise<Candidate[]> {
    const [than, way] = order === 'asc' ? ['>', 'ASC'] : ['<', 'DESC'];
    const place = placeOf(sort, cursor);
    const [after, by, end] =
      sort === 'created'
        ? [`($6::text IS NULL OR s.id ${than} $6)`, `s.id ${way}`, 's.id']
        : [
            `($6::text IS NULL OR (s.updated_at, s.id) ${than} ($12::timestamptz, $6))`,
            `s.updated_at ${way}, s.id ${way}`,
            `to_char(s.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || ' ' || s.id`,
          ];
    return (await this.db.query(
      `SELECT s.id, ${end} AS place, (${matchSql}) AS matches
         FROM (SELECT * FROM engine.session s WHERE s.organization_id = $1 AND s.project_id = $2
                  AND ($3::text IS NULL OR s.status = $3) AND ($4::text IS NULL OR s.app_id = $4)
                  AND ($5::text IS NULL OR s.contact_id = $5)
                  AND CASE $11::text WHEN 'unread' THEN ${unread('$10')} WHEN 'assigned' THEN s.assigned_to = $10
                      WHEN 'waiting' THEN ${waitsFor('$10')} ELSE true END AND ${after} ORDER BY ${by} LIMIT $9) s ORDER BY ${by}`,
      [
        organizationId,
        projectId,
        status,
        appId,
        contactId,
        place.id,
        search === null ? null : containing(search),
        withText,
        scan,
        reader,
        inbox,
        ...(sort === 'last_message' ? [place.at] : []),
      ],
    )) as Candidate[];
  }

  private async listed(
    scope: ProjectScope,
    ids: string[],
    { withText, reader }: Pick<SessionFilter, 'withText' | 'reader'>,
  ): Promise<ListedSession[]> {
    const found = (await this.db.query(listedSql, [ids, withText, reader])) as (SessionRow & {
      last_text: string | null;
      last_message_at: Date;
      unread: boolean;
      waits_for_me: boolean;
      turn: { id: string; receipt_id: string } | null;
    })[];
    const events = found.flatMap(({ turn }) => turn?.receipt_id ?? []);
    const latest = await latestEntries(this.db, scope, events);
    return found.map(({ turn, ...session }) => ({ ...session, result: turn && resultOf(turn.id, latest) }));
  }
}

/** @throws Problem 400 `invalid_cursor`: it is one of the other sort */
function placeOf(sort: SessionSort, cursor: string | null): { id: string | null; at: string | null } {
  if (cursor === null) return { id: null, at: null };
  const [first = '', second] = cursor.split(' ');
  const isByMessage = second !== undefined;
  if (isByMessage !== (sort === 'last_message')) throw invalidCursor();
  if (!isByMessage) return { id: first, at: null };
  if (!Number.isFinite(Date.parse(first))) throw invalidCursor();
  return { id: second, at: first };
}
