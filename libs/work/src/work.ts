import { isGone, type Queryable, storableJson } from '#libs/database';
import { type HeldClaim, Leases } from './leases.js';
import { notHeldSql } from './held-projects.js';
import { persist } from './persist.js';
import { TrialGate } from './trial-gate.js';
import type { Settlement } from './verdict.js';
import type { WorkRow } from './work-row.entity.js';

export interface WorkOptions {
  /** Schema-qualified, from code, never from input. */
  table: string;
  /** Its primary key. */
  key?: string;
  /** Its own word for `running`. */
  running?: string;
  leaseMs: number;
  /** Who holds the leases that are taken now; null where leases end only by time. */
  owner: () => string | null;
  /** All owners that are this process. */
  owners?: () => string[];
  /** SQL: which project a row `t` is of; null: rows are of none. Absent: its `project_id`. */
  project?: ((t: string) => string) | null;
  /** It runs until somebody ends it: a lease is not renewed while the project is held. */
  endless?: true;
}

/** A row that was claimed to be tried alone. */
export type Suspect<Row extends WorkRow> = Row & { convicted: boolean };

/** The caller's own columns in a settlement: each with its type. */
type OwnColumns = Readonly<Record<string, string>>;

const ofColumn = (t: string): string => `${t}.project_id`;

/** What gives a lease back. */
export const leaveSql = 'owner = NULL, lease_until = NULL, on_trial = false';

/** What ends a row whose claim the caller has locked. */
export const endSql = (state: string): string =>
  `state = '${state}', ${leaveSql}, tries = 0, ended_at = clock_timestamp()`;

/** Claimed longer ago than this, and not worked on: the claim's answer was never heard. */
const unheardMs = 2_000;

const ms = (value: string): string => `${value} * interval '1 millisecond'`;

/** A full disk that is emptied, or a primary that is replaced, takes no longer than this. */
const outageMs = 60_000;

/**
 * The rows of one table of work: claimed under a lease, settled by the claim that holds it, swept when nobody does.
 * Methods that end in `Sql` are parts of statements that commit more than the row.
 */
export class Work<Row extends WorkRow> {
  readonly table: string;
  private readonly key: string;
  private readonly running: string;
  private readonly leases: Leases;
  /** What this process does of this kind of work, and whether a suspect has it for itself. */
  readonly gate = new TrialGate();

  constructor(
    private readonly db: Queryable,
    private readonly options: WorkOptions,
  ) {
    const { table, key = 'id', running = 'running', leaseMs } = options;
    this.table = table;
    this.key = key;
    this.running = running;
    this.leases = new Leases((claims) => this.renew(claims), leaseMs);
  }

  /** Rows that are queued or running. @param t the alias of the table */
  isOpenSql(t: string): string {
    return `${t}.state IN ('queued', '${this.running}')`;
  }

  /** Whether a row may be claimed whatever its time: nothing of a held project begins. */
  private mayBeginSql(t: string): string {
    const { project = ofColumn } = this.options;
    return project === null ? 'true' : notHeldSql(project(t));
  }

  /** Suspects that are due and that nobody holds. */
  private isSuspectSql(t: string): string {
    return `(${t}.deaths > 0 AND ${t}.ended_at IS NULL AND ${t}.due_at <= now() AND ${this.isFreeSql(t)}
      AND ${this.mayBeginSql(t)})`;
  }

  /** Open rows that nobody holds, due or not. */
  isFreeSql(t: string): string {
    return `(${t}.state = 'queued' OR (${t}.state = '${this.running}' AND ${t}.lease_until < now()))`;
  }

  /**
   * Open rows that nobody holds, and that have been due for `graceMs`; without those of held projects, and without
   * suspects, which `Suspects` takes.
   * @param leaseGraceMs after the end of a lease
   */
  isDueSql(t: string, graceMs = '0', leaseGraceMs = graceMs): string {
    // A row that was claimed was due: the first condition lets an index leave out all that waits.
    return `(${this.isOpenSql(t)} AND ${t}.deaths = 0 AND ${t}.due_at <= now()
      AND CASE ${t}.state WHEN 'queued' THEN ${t}.due_at <= now() - ${ms(graceMs)} ELSE ${t}.lease_until < now() - ${ms(leaseGraceMs)} END
      AND ${this.mayBeginSql(t)})`;
  }

  /** What a claim sets. @param owner, leaseMs the statement's parameters */
  claimSql(t: string, owner: string, leaseMs: string, onTrial = 'false'): string {
    return `state = '${this.running}', claim = ${t}.claim + 1, tries = ${t}.tries + 1, owner = ${owner},
      lease_until = now() + ${ms(leaseMs)}, on_trial = ${onTrial}`;
  }

  /**
   * For an INSERT that stores rows and claims those whose state is `running` at once: the columns, their values, and
   * what it sets where the row is there already.
   * @param state, owner, leaseMs expressions of the statement
   */
  storeSql(t: string, state: string, owner: string, leaseMs: string): { columns: string; values: string; set: string } {
    const claimed = (value: string, otherwise: string): string =>
      `CASE ${state} WHEN '${this.running}' THEN ${value} ELSE ${otherwise} END`;
    const one = claimed('1', '0');
    const lease = claimed(`now() + ${ms(leaseMs)}`, 'NULL');
    return {
      columns: 'state, claim, tries, owner, lease_until',
      values: `${state}, ${one}, ${one}, ${claimed(owner, 'NULL')}, ${lease}`,
      set: `state = excluded.state, claim = ${t}.claim + excluded.claim, tries = ${t}.tries + excluded.tries,
        owner = excluded.owner, lease_until = excluded.lease_until`,
    };
  }

  /**
   * What opens an ended row again, with all its tries. One that killed processes is still a suspect.
   * @param state an expression of the statement
   */
  reopenSql(state = "'queued'"): string {
    return `state = ${state}, tries = 0, due_at = now(), ${leaveSql}, blocked_since = NULL, ended_at = NULL,
      deaths = least(deaths, 1)`;
  }

  /** The parameters that `claimSql` needs: the owner, and the lease. */
  get lease(): [string | null, number] {
    return [this.options.owner(), this.options.leaseMs];
  }

  /** Claims one row, if it is due. */
  async claim(key: string): Promise<Row | null> {
    return (await this.claimDue(1, `${this.key} = $4`, [key]))[0] ?? null;
  }

  /**
   * Claims rows that are due.
   * @param where a further condition, whose parameters begin with `$4`
   */
  claimDue(limit: number, where = 'true', parameters: unknown[] = []): Promise<Row[]> {
    return this.rows<Row>(
      `WITH due AS (SELECT ${this.key} FROM ${this.table} w WHERE ${this.isDueSql('w')} AND ${where}
          ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED),
       claimed AS (UPDATE ${this.table} w SET ${this.claimSql('w', '$1', '$2::float8')}
         WHERE ${this.key} IN (SELECT ${this.key} FROM due) RETURNING w.*)
       SELECT * FROM claimed`,
      [...this.lease, limit, ...parameters],
    );
  }

  /**
   * Works on a claimed row under its lease, after a suspect that is tried alone.
   * @param act gets a signal that aborts with `LeaseLost`
   */
  run<T>(claim: HeldClaim, act: (lost: AbortSignal) => Promise<T>): Promise<T> {
    return this.hold(claim, (lost) => this.gate.beside(claim.key, () => act(lost)));
  }

  /** Keeps the lease of a claimed row meanwhile. For what is beside others of its kind already. */
  hold<T>(claim: HeldClaim, act: (lost: AbortSignal) => Promise<T>): Promise<T> {
    return this.leases.during(claim, act);
  }

  /**
   * Stores the outcome of an attempt. It has longer than its lease: while Postgres takes nothing, nobody claims the row
   * either, and whoever has claimed it by the time that it does is not disturbed.
   */
  persist<T>(store: () => Promise<T>): Promise<T> {
    return persist(store, Math.max(this.options.leaseMs, outageMs));
  }

  /**
   * Claims the suspect that has been due for longest, to try it alone.
   * @returns `convicted`: it has killed its process alone, and as often as it may
   */
  async claimSuspect(): Promise<Suspect<Row> | null> {
    const [suspect] = await this.rows<Suspect<Row>>(
      `WITH due AS (SELECT ${this.key} AS key, on_trial AS convicted FROM ${this.table} w WHERE ${this.isSuspectSql('w')}
          ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED),
       claimed AS (UPDATE ${this.table} w SET ${this.claimSql('w', '$1', '$2::float8', 'true')}
         FROM due WHERE w.${this.key} = due.key RETURNING w.*, due.convicted)
       SELECT * FROM claimed`,
      this.lease,
    );
    return suspect ?? null;
  }

  keyOf(row: Row): string {
    return String(row[this.key as keyof Row]);
  }

  /** Whether a suspect is due. */
  async hasSuspect(): Promise<boolean> {
    return (await this.rows(`SELECT FROM ${this.table} w WHERE ${this.isSuspectSql('w')} LIMIT 1`, [])).length > 0;
  }

  /** Others run beside it from now on: if its process dies, that says little about it. */
  async endTrial({ key, claim }: HeldClaim): Promise<void> {
    await this.db.query(`UPDATE ${this.table} SET on_trial = false WHERE ${this.key} = $1 AND claim = $2`, [
      key,
      claim,
    ]);
  }

  /** Stores what became of rows. @returns the keys of those that the claims still held */
  async settle(settlements: Settlement[]): Promise<Set<string>> {
    const rows = await this.rows<{ key: string }>(
      `WITH settled AS (${this.settleSql('$1')}) SELECT ${this.key} AS key FROM settled`,
      [this.settled(settlements)],
    );
    return new Set(rows.map(({ key }) => key));
  }

  /**
   * The UPDATE that stores settlements, and returns the rows that the claims still held. A suspect whose attempt counts
   * has survived it, and is none any more.
   * @param own the caller's columns; `keeps`: those that null leaves as they are
   * @param unless a condition on `s` under which a settlement counts although another claim has the row
   */
  settleSql(parameter: string, own: OwnColumns = {}, keeps: string[] = [], unless = 'false'): string {
    const set = Object.keys(own).map((name) =>
      keeps.includes(name) ? `, ${name} = coalesce(s.${name}, w.${name})` : `, ${name} = s.${name}`,
    );
    const types = Object.entries(own).map(([name, type]) => `, ${name} ${type}`);
    return `UPDATE ${this.table} w SET state = s.state, tries = s.tries, blocked_since = s.blocked_since, reason = s.reason,
       ${leaveSql}, due_at = CASE s.state WHEN 'queued' THEN now() + ${ms('s.due_in_ms')} ELSE w.due_at END,
       deaths = CASE WHEN s.state = 'queued' AND s.tries >= w.tries THEN 0 ELSE w.deaths END,
       ended_at = CASE WHEN s.state <> 'queued' THEN clock_timestamp() END${set.join('')}
      FROM jsonb_to_recordset(${parameter}::jsonb) AS s(key text, claim integer, state text, due_in_ms float8, tries integer,
        blocked_since timestamptz, reason text${types.join('')})
     WHERE w.${this.key} = s.key AND ${this.isOpenSql('w')} AND (w.claim = s.claim OR ${unless}) RETURNING w.*`;
  }

  /** The parameter of `settleSql`, in the order of keys: batches in different orders would deadlock. */
  settled<T extends Pick<Settlement, 'key'>>(settlements: T[]): string {
    return storableJson(settlements.toSorted((a, b) => (a.key < b.key ? -1 : 1)));
  }

  /** Rows that have been due for so long that no job will take them. */
  overdue(graceMs: number, limit: number, leaseGraceMs = graceMs): Promise<Row[]> {
    return this.rows<Row>(
      `SELECT * FROM ${this.table} w WHERE ${this.isDueSql('w', '$1::float8', '$3::float8')} ORDER BY due_at LIMIT $2`,
      [graceMs, limit, leaseGraceMs],
    );
  }

  /**
   * Makes queued rows due now.
   * @param where what they wait for; its parameters begin with `$1`
   * @param columns of the rows that are returned
   */
  expedite(where: string, parameters: unknown[], columns = '*', limit = 100_000): Promise<Row[]> {
    return this.rows<Row>(
      `WITH waiting AS (SELECT ${this.key} FROM ${this.table} w WHERE state = 'queued' AND due_at > now() AND ${where}
          ORDER BY ${this.key} LIMIT ${limit} FOR UPDATE SKIP LOCKED),
       due AS (UPDATE ${this.table} w SET due_at = now() WHERE ${this.key} IN (SELECT ${this.key} FROM waiting) RETURNING w.*)
       SELECT ${columns} FROM due`,
      parameters,
    );
  }

  /**
   * Frees the rows of processes that have died, so far in the past that a sweep takes them whatever its grace. The
   * attempt does not count. Each of them may be what killed its process: a suspect. Also frees what this process has
   * claimed and does not know of, because Postgres went away before it answered, or before the outcome was stored.
   * @param kills deaths that convict a row which was tried alone; null: a store was away, and no row is suspected
   */
  async freeGone(kills: number | null): Promise<void> {
    const { owners = () => [], leaseMs } = this.options;
    await this.db.query(
      `WITH lost AS (
         SELECT ${this.key} AS key, ${isGone('owner')} AS gone FROM ${this.table}
          WHERE state = '${this.running}' AND (${isGone('owner')}
             OR owner = ANY($2) AND ${this.key} <> ALL($3) AND lease_until < now() + ${ms('$4::float8')})
          ORDER BY ${this.key} FOR UPDATE SKIP LOCKED)
       UPDATE ${this.table} w SET state = 'queued', owner = NULL, lease_until = NULL, due_at = now() - interval '1 day',
              tries = greatest(0, tries - 1), deaths = deaths + CASE WHEN lost.gone AND $1::integer IS NOT NULL THEN 1 ELSE 0 END,
              on_trial = coalesce(lost.gone AND on_trial AND deaths + 1 >= $1, false)
         FROM lost WHERE w.${this.key} = lost.key`,
      [kills, owners(), this.leases.keys, leaseMs - unheardMs],
    );
  }

  /** Renews leases, but of rows that are being settled. @returns the keys whose claim still holds */
  private async renew(claims: HeldClaim[]): Promise<Set<string>> {
    const sorted = claims.toSorted((a, b) => (a.key < b.key ? -1 : 1));
    const rows = await this.rows<{ key: string }>(
      `WITH held AS (SELECT w.${this.key} AS key FROM ${this.table} w
          JOIN unnest($1::text[], $2::integer[]) AS h(key, claim) ON w.${this.key} = h.key AND w.claim = h.claim
         WHERE w.state = '${this.running}' AND ${this.options.endless ? this.mayBeginSql('w') : 'true'}),
       free AS (SELECT ${this.key} FROM ${this.table} WHERE ${this.key} IN (SELECT key FROM held)
                 ORDER BY ${this.key} FOR UPDATE SKIP LOCKED),
       renewed AS (UPDATE ${this.table} SET lease_until = now() + ${ms('$3::float8')}
         WHERE ${this.key} IN (SELECT ${this.key} FROM free))
       SELECT key FROM held`,
      [sorted.map(({ key }) => key), sorted.map(({ claim }) => claim), this.options.leaseMs],
    );
    return new Set(rows.map(({ key }) => key));
  }

  private async rows<T>(sql: string, parameters: unknown[]): Promise<T[]> {
    return (await this.db.query(sql, parameters)) as T[];
  }
}
