import { Database } from '#libs/database';
import { type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { NamedApps } from '../channels/named-apps.js';
import { type MessageRow, type Packed, unpacked, type Verdict } from '../../entities/message.entity.js';
import { type ClauseResult, compileFilter, type Filter, type FilterProblem } from '#libs/expressions';
import { evaluateTrigger, filterInput, unheardBy } from '../../path/routing/evaluate-triggers.js';

/** What a trigger would have done with one message, and why. */
export interface TriedMessage extends Pick<Verdict, 'verdict' | 'reason'> {
  message_id: string;
  receipt_id: string;
  clauses: ClauseResult[];
  received_at: Date;
  event_type: string;
  sender: string;
  text: string;
}

export interface DryRunReport {
  /** Why the expression cannot run; nothing was tried then. */
  problem: FilterProblem | null;
  tried: number;
  matched: number;
  filtered: number;
  filter_error: number;
  /** Newest messages first. */
  verdicts: TriedMessage[];
}

interface Trial {
  app_id: string;
  event_id?: string;
  event_types?: string[];
  where?: string;
  limit?: number;
}

type StoredMessage = MessageRow & { known_id: string | null; name: string; status: string };

const shownChars = 200;
/** Explaining costs as much as evaluating, and nobody reads the clauses of more. */
const explained = 100;

/** Tries a trigger on stored messages, without starting or storing anything. */
@Injectable()
export class TriggerTrialService {
  constructor(
    private readonly db: Database,
    private readonly apps: NamedApps,
  ) {}

  /** @throws Problem 422 `app_not_found`, `event_not_found` */
  async run(caller: Principal, given: Trial): Promise<DryRunReport> {
    await this.apps.require(caller, given.app_id);
    const compiled = given.where === undefined || given.where.trim() === '' ? null : compileFilter(given.where);
    if (compiled && 'problem' in compiled) return { ...counted([]), problem: compiled.problem };
    const filter = compiled?.filter ?? null;
    const trigger = { event_types: given.event_types ?? [], compiled: filter && { filter } };
    const messages = await this.messages(caller, given);
    if (given.event_id !== undefined && messages.length === 0) throw noMessageOf(given.event_id);
    const tried = messages.map((row, index) => tryOn(row, trigger, index < explained ? filter : null));
    return { ...counted(tried), problem: null };
  }

  private async messages({ organizationId, projectId }: Principal, given: Trial): Promise<StoredMessage[]> {
    const rows = (await this.db.query(
      `SELECT m.*, c.id AS known_id, c.name, c.status FROM router.message m LEFT JOIN router.contact c ON c.id = m.contact_id
        WHERE m.app_id = $1 AND m.organization_id = $2 AND m.project_id = $3 AND ($5::text IS NULL OR m.receipt_id = $5)
        ORDER BY m.id DESC LIMIT $4`,
      [given.app_id, organizationId, projectId, given.limit ?? 100, given.event_id ?? null],
    )) as Packed<StoredMessage>[];
    return rows.map(unpacked<StoredMessage>);
  }
}

function noMessageOf(eventId: string): Problem {
  const detail = `The event ${eventId} has no message of this App in this project.`;
  return new Problem(422, 'event_not_found', detail, [{ field: 'event_id', message: detail }]);
}

function tryOn(
  row: StoredMessage,
  trigger: Parameters<typeof evaluateTrigger>[0],
  filter: Filter | null,
): TriedMessage {
  const { message } = row;
  const contact = row.known_id === null ? null : { id: row.known_id, name: row.name, status: row.status };
  const input = filterInput(message, contact, row.verified, row.request);
  const verdict = unheardBy(message) ?? evaluateTrigger(trigger, message.event_type, () => input);
  return {
    message_id: row.id,
    receipt_id: row.receipt_id,
    ...(verdict ?? { verdict: 'matched' as const, reason: null }),
    clauses: filter && input ? filter.explain(input) : [],
    received_at: row.created_at,
    event_type: message.event_type,
    sender: message.sender,
    text: message.message.slice(0, shownChars).toWellFormed(),
  };
}

function counted(verdicts: TriedMessage[]): Omit<DryRunReport, 'problem'> {
  const count = (wanted: Verdict['verdict']): number => verdicts.filter(({ verdict }) => verdict === wanted).length;
  return {
    tried: verdicts.length,
    matched: count('matched'),
    filtered: count('filtered'),
    filter_error: count('filter_error'),
    verdicts,
  };
}
