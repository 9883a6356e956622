import { Batcher } from '#libs/batching';
import { type ContentTrust, derivedId, limitNotice, type ScopeColumns, type TurnRunPayload } from '#libs/contracts';
import { asynchronousCommit, Database, isRefusedRow, type Queryable, storableJson } from '#libs/database';
import { entryCtes, Journal, type JournalEntry, type JournalSubject } from '#libs/journal';
import { endSql as ended } from '#libs/work';
import { Injectable } from '@nestjs/common';
import { entryOf, lockSessions, type Started, startNext } from './start-next.js';
import { addModelUsageSql, addUsageSql } from '../usage/day-usage.repository.js';
import { contentBesideReply, type NewStep, onlyStepOf } from '../steps/step-log.js';
import type { Claim, StoredInput, Turn } from '../../entities/turn.entity.js';
import { TurnRepository } from './turn.repository.js';
import { isSpentCode, spentIn } from './turn-budget.service.js';

/** Everything that a turn leaves behind. It is stored together or not at all. */
export interface TurnEnding extends Claim, ScopeColumns {
  /** Null when the turn has no session. */
  session_id: string | null;
  reply_text: string;
  /** The answer as a value; null: none was asked for. */
  output: Record<string, unknown> | null;
  /** What the reply lacks, or why there is none. */
  reason: string | null;
  steps: number;
  tokens: number;
  cost_micros: number;
  agent_id: string;
  /** Null: no agent took part. */
  agent_version: number | null;
  /** Empty when the sender is no contact. */
  contact_id: string;
  /** Of what it brought into its conversation. */
  content_trust: ContentTrust;
  /** Steps that are not stored yet. */
  new_steps: NewStep[];
  /** The delivery of its reply; null when it sends none. */
  answer_id: string | null;
}

/**
 * What a turn keeps of its input once it has succeeded. Nothing has failed, so nobody is informed of that. The router has the
 * message: a turn outside of conversations leaves it there (`TurnInputs`), unless it heard or joined more than that. Its App
 * is in the row, and what is null is known from its absence: `givenInput` is what this was made of.
 */
const restOfInput = `t.input - ARRAY['failure_notice', 'limit_words', CASE t.input -> 'instructions' WHEN 'null' THEN 'instructions' END, CASE
  WHEN t.session_id IS NULL AND t.message_id IS NOT NULL AND NOT t.input ? 'earlier'
       AND t.input #> '{message,metadata,transcripts}' IS NULL THEN 'message' END] || CASE jsonb_typeof(t.input -> 'reply')
  WHEN 'object' THEN jsonb_build_object('reply', (t.input -> 'reply') - ARRAY[
    CASE t.input #>> '{reply,app_id}' WHEN t.app_id THEN 'app_id' END,
    CASE t.input #> '{reply,thread_id}' WHEN 'null' THEN 'thread_id' END,
    CASE t.input #> '{reply,reply_context}' WHEN 'null' THEN 'reply_context' END]) ELSE '{}' END`;

/**
 * One statement, so one transaction: turn, steps and reply of each ending whose claim still holds the lease.
 * @param sends whether one of them has a reply: it may leave before anything else waits for the disk
 */
const endSql = (sends: boolean): string => `
  WITH ending AS (
    SELECT x.* FROM ${sends ? '' : `${asynchronousCommit}, `}jsonb_to_recordset($1::jsonb) AS x(turn_id text, claim integer, organization_id text,
      project_id text, reply_text text, output jsonb, reason text, steps integer, tokens integer,
      cost_micros integer, agent_id text, agent_version integer, contact_id text, content_trust text, new_steps jsonb, only_step jsonb, answer_id text, entry json)),
  ended AS (
    UPDATE engine.turn t SET ${ended('succeeded')}, reply_text = e.reply_text, output = e.output, steps = e.steps,
           answer_id = e.answer_id, reply = CASE WHEN e.answer_id IS NULL THEN 'none' ELSE 'sent' END, reason = e.reason,
           blocked_since = NULL, agent_version = e.agent_version, input = ${restOfInput}, only_step = e.only_step,
           content_trust = e.content_trust, entry = e.entry, tokens = e.tokens, cost_micros = e.cost_micros
      FROM ending e
     WHERE t.id = e.turn_id AND t.claim = e.claim AND t.state = 'running'
    RETURNING t.id),
  stepped AS (
    INSERT INTO engine.step (turn_id, seq, kind, content, tokens, duration_ms)
    SELECT e.turn_id, s.seq, s.kind, ${contentBesideReply('s', 'e.reply_text')}, s.tokens, s.duration_ms
      FROM ending e JOIN ended ON ended.id = e.turn_id
     CROSS JOIN LATERAL jsonb_to_recordset(e.new_steps) AS s(seq integer, kind text, content jsonb, tokens integer,
           duration_ms double precision)
     WHERE e.only_step IS NULL),
  used AS (
    SELECT e.project_id, e.agent_id, e.contact_id, min(e.organization_id) AS organization_id, count(*) AS model_calls,
           0 AS tool_calls, coalesce(sum((s.spent ->> 'input_tokens')::bigint), 0) AS input_tokens,
           coalesce(sum((s.spent ->> 'output_tokens')::bigint), 0) AS output_tokens,
           coalesce(sum((s.spent ->> 'cost_micros')::bigint), 0) AS cost_micros
      FROM ending e JOIN ended ON ended.id = e.turn_id
     CROSS JOIN LATERAL jsonb_to_recordset(e.new_steps) AS s(kind text, spent jsonb)
     WHERE s.kind = 'model_call' GROUP BY e.project_id, e.agent_id, e.contact_id),
  counted AS (${addUsageSql('used')}),
  counted_models AS (${addModelUsageSql(`
    SELECT e.project_id, e.organization_id, s.kind, s.spent FROM ending e JOIN ended ON ended.id = e.turn_id
     CROSS JOIN LATERAL jsonb_to_recordset(e.new_steps) AS s(kind text, spent jsonb)`)}),
  ${entryCtes(2, 'SELECT id FROM ended')}
  SELECT id FROM ended`;

interface EndingWithEntries {
  ending: TurnEnding;
  entries: JournalEntry[];
}

/** Whether a turn ended, and which turns of its session that started. */
export interface Ended {
  ended: boolean;
  started: Started;
}

/**
 * Commits ended turns with their timeline entries and the next turn of each session. Turns that end at the same moment
 * share a commit.
 */
@Injectable()
export class TurnEndingRepository {
  private readonly endings: Batcher<EndingWithEntries, Ended>;

  constructor(
    private readonly db: Database,
    private readonly journal: Journal,
  ) {
    const together = { maxItems: 64, maxWaitMs: 0, maxRunning: 2, failsByItem: isRefusedRow };
    this.endings = new Batcher((endings) => this.endAll(endings), together);
  }

  /** @returns `ended` false when the lease was lost: another claim runs the turn, and nothing was stored */
  end(ending: TurnEnding, entries: JournalEntry[]): Promise<Ended> {
    return this.endings.add({ ending, entries });
  }

  private async endAll(all: EndingWithEntries[]): Promise<Ended[]> {
    const sessions = [...new Set(all.flatMap(({ ending }) => ending.session_id ?? []))];
    const { ended, started } =
      sessions.length === 0
        ? { ended: await this.store(this.db, all), started: { turns: [], collected: [] } }
        : await this.db.transaction(async (tx) => {
            await lockSessions(tx, sessions);
            return { ended: await this.store(tx, all), started: await startNext(tx, sessions) };
          });
    for (const { ending, entries } of all) {
      if (ended.has(ending.turn_id)) for (const entry of entries) this.journal.noted(entry);
    }
    return all.map(({ ending: { turn_id, session_id } }) => {
      const isOwn = (turn: Turn): boolean => session_id !== null && turn.session_id === session_id;
      const own = { turns: started.turns.filter(isOwn), collected: started.collected.filter(isOwn) };
      return { ended: ended.has(turn_id), started: own };
    });
  }

  private async store(db: Queryable, all: EndingWithEntries[]): Promise<Set<string>> {
    const rows = all.map(({ ending, entries }) => this.rowsOf(ending, entries));
    const endings = rows.map(({ ending }) => ({ ...ending, only_step: onlyStepOf(ending) }));
    const entryRows = rows.flatMap(({ beside }) => beside);
    const sends = endings.some(({ answer_id }) => answer_id !== null);
    const ended = (await db.query(endSql(sends), [storableJson(endings), storableJson(entryRows)])) as { id: string }[];
    return new Set(ended.map((row) => row.id));
  }

  /** The entry that it succeeded lies in the turn's own row, others have rows beside it. */
  private rowsOf(ending: TurnEnding, entries: JournalEntry[]) {
    const { reason, steps, tokens, answer_id } = ending;
    const sent = answer_id === null ? { reply: 'none' } : { reply: 'sent', delivery_id: answer_id };
    const ofRow = { ...sent, steps, tokens };
    const own = entries.find(({ outcome, reason: why }) => outcome === 'succeeded' && why === reason);
    const entry = own ? this.journal.inRow(own, ofRow) : null;
    const beside = entry === null ? entries : entries.filter((each) => each !== own);
    return { ending: { ...ending, entry }, beside: beside.map((each) => this.journal.row(each, ending.turn_id)) };
  }
}

/** For people. */
const sentToday = 'The contact was informed today that the budget is used up, so no further notice is sent.';

/** Turns that failed for good. Each becomes a dead letter, and its sender is notified where that is configured. */
@Injectable()
export class TurnFailureService {
  constructor(
    private readonly db: Database,
    private readonly turns: TurnRepository,
    private readonly journal: Journal,
  ) {}

  /**
   * Ends the turn with its timeline entry and failure notice, and starts the session's next turn, in one transaction.
   * @returns the turn and what was started; null when it had already ended or another process works on it
   */
  async end(payload: TurnRunPayload, code: string, message: string): Promise<{ turn: Turn; started: Started } | null> {
    const known = await this.turns.byId(payload.turn_id);
    const sessions = known?.session_id ? [known.session_id] : [];
    return this.db.transaction(async (tx) => {
      await lockSessions(tx, sessions);
      const turn = await this.fail(tx, payload, code);
      if (!turn) return null;
      const text = textOf(turn.input ?? {}, code, message);
      const notice = text ? await this.noticeOf(tx, turn, code) : 'none';
      const detail = { error: message.slice(0, 500), ...(notice === 'sent_today' ? { notice: sentToday } : {}) };
      await this.journal.appendIn(tx, entryOf(turn, 'dead', code, detail));
      if (text && notice === 'due') {
        await addNotice(tx, turn, text);
        // It is sent next. The entry has let the transaction end without the disk.
        await tx.query('SET LOCAL synchronous_commit TO DEFAULT');
      }
      return { turn, started: await startNext(tx, sessions) };
    });
  }

  /**
   * Ends a turn for good, in the caller's transaction.
   * @returns the turn if this call ended it
   */
  private async fail(tx: Queryable, payload: TurnRunPayload, error: string): Promise<Turn | null> {
    const { run } = payload;
    const rows = await tx.query(
      `WITH ended AS (
         INSERT INTO engine.turn AS t (id, organization_id, project_id, app_id, receipt_id, message_id, run_id, workflow_id, trigger_id,
           replay, replay_of, session_id, agent_id, epoch, input, state, claim, reason, ended_at, reply)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, NULL, $12, 0, $13::jsonb, 'failed', 1, $14, now(), 'none')
         ON CONFLICT (id) DO UPDATE SET ${ended('failed')}, reason = $14, blocked_since = NULL, reply = 'none'
          WHERE ${this.turns.work.isFreeSql('t')} RETURNING t.*)
       SELECT * FROM ended`,
      [
        payload.turn_id,
        payload.organization_id,
        payload.project_id,
        payload.app_id,
        payload.receipt_id,
        payload.message_id ?? null,
        run?.id ?? null,
        run?.workflow_id ?? null,
        run?.trigger_id ?? null,
        run?.replay ?? false,
        run?.replay_of ?? null,
        payload.agent_id ?? null,
        payload.input ? storableJson(payload.input) : null,
        error,
      ],
    );
    return (rows as Turn[])[0] ?? null;
  }

  /** A contact whose budget is spent is informed once a day, however much it writes. */
  private async noticeOf(tx: Queryable, turn: Turn, code: string): Promise<'none' | 'due' | 'sent_today'> {
    const { reply, contact_id: contact } = turn.input ?? {};
    if (!reply || reply.channel_address === null || turn.notice_id !== null) return 'none';
    if (!isSpentCode(code) || !contact) return 'due';
    return (await addBudgetNotice(tx, turn, contact)) ? 'due' : 'sent_today';
  }

  /** Reports a turn that can have no row, as far as its job says whose it was. */
  async reportRefused(given: Partial<TurnRunPayload> & { turn_id: string }, code: string): Promise<void> {
    const { receipt_id, organization_id, project_id, app_id } = given;
    const subject = { receipt_id, organization_id, project_id, app_id };
    if (!isSubject(subject)) return;
    const detail = { error: 'the job of the turn cannot be read' };
    const entry = {
      ...subject,
      stage: 'turn',
      outcome: 'dead',
      reason: code,
      subject_id: given.turn_id,
      detail,
    } as const;
    await this.journal.appendNow(entry);
  }
}

/** What the sender is shown of the failure, in the channel's words. */
function textOf(input: Partial<StoredInput>, code: string, message: string): string | null | undefined {
  const spent = isSpentCode(code) ? spentIn(message) : null;
  if (!spent || input.limit_words === undefined) return input.failure_notice;
  return input.limit_words === null ? null : limitNotice(input.limit_words, spent).text;
}

function isSubject(subject: Partial<JournalSubject>): subject is JournalSubject {
  return Object.values(subject).every((value) => typeof value === 'string');
}

/** Records that the sender of a failed turn is notified, once per turn. */
async function addNotice(tx: Queryable, { id }: Turn, text: string): Promise<void> {
  await tx.query(
    `UPDATE engine.turn SET notice_id = $2, input = jsonb_set(input, '{failure_notice}', to_jsonb($3::text))
      WHERE id = $1 AND notice_id IS NULL`,
    [id, derivedId('dlv', id, 'notice'), text],
  );
}

/**
 * Records that a contact is informed that the budget with an agent is spent.
 * @returns false when it was informed today already
 */
async function addBudgetNotice(
  tx: Queryable,
  { organization_id, project_id, agent_id }: Turn,
  contact: string,
): Promise<boolean> {
  const rows = (await tx.query(
    `INSERT INTO engine.usage AS u (project_id, day, agent_id, contact_id, organization_id, model_calls, tool_calls,
            input_tokens, output_tokens, cost_micros, budget_notice)
     SELECT $1, (now() AT TIME ZONE 'utc')::date, a.id, $3, $4, 0, 0, 0, 0, 0, true
       FROM engine.agent a
      WHERE a.project_id = $1 AND a.organization_id = $4 AND CASE WHEN $2::text IS NULL THEN a.is_chief_of_staff ELSE a.id = $2 END
     ON CONFLICT (project_id, day, agent_id, contact_id) DO UPDATE SET budget_notice = true WHERE NOT u.budget_notice
     RETURNING 1 AS added`,
    [project_id, agent_id, contact, organization_id],
  )) as unknown[];
  return rows.length > 0;
}
