import { checkAdapter, type ConformanceFixtures, type PointResult, secretList, type SendCall } from '#libs/adapter-sdk';
import { columnsOf, newId } from '#libs/contracts';
import { type Egress, EgressError } from '#libs/egress';
import { bySetting, limitReached, notFound, type Principal, Problem } from '#libs/service-kit';
import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { AdapterService } from '../registration/adapter.service.js';
import { EGRESS, type GatewaySettings, SETTINGS } from '../../env.js';
import type { ConformanceRunRow } from '../../entities/conformance-run.entity.js';
import { ConformanceRunRepository } from './conformance-run.repository.js';

const points = 15;

/** Runs the conformance kit against registered adapters. Its calls obey the egress rules of every other call. */
@Injectable()
export class ConformanceService implements OnModuleDestroy {
  private readonly logger = new Logger('conformance');
  private readonly running = new Map<AbortController, Promise<void>>();

  constructor(
    private readonly adapters: AdapterService,
    private readonly runs: ConformanceRunRepository,
    @Inject(EGRESS) private readonly egress: Egress,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  /**
   * Begins a run, which continues in the background.
   * @throws Problem 404 `adapter_not_found`; 422 `skill_only`, `provider_not_possible`; 409 `conformance_running`; 429
   * `too_many_runs`
   */
  async begin(caller: Principal, adapterId: string, fixtures: ConformanceFixtures): Promise<ConformanceRunRow> {
    const { id: adapter_id, base_url: baseUrl, slug } = await this.adapters.get(caller, adapterId);
    if (baseUrl === null) throw new Problem(422, 'skill_only', `${slug} is a skill without an adapter.`);
    if (fixtures.provider !== undefined) {
      const detail =
        'The adapter cannot reach a fake provider that runs here: leave `provider` out, or run `gatehouse adapter check` beside the adapter.';
      throw new Problem(422, 'provider_not_possible', detail);
    }
    if (this.running.size >= this.settings.CONFORMANCE_RUNS) {
      const name = 'CONFORMANCE_RUNS';
      const limit = {
        name,
        of: 'replica',
        value: this.settings[name],
        raise: bySetting(name, 'adapter-gateway'),
      } as const;
      throw limitReached('too_many_runs', 'Too many conformance runs are in progress', limit, 30);
    }
    await this.runs.giveUpSilent(adapter_id, this.settings.CONFORMANCE_MAX_MS);
    const now = new Date();
    const run: ConformanceRunRow = {
      id: newId('cfr'),
      ...columnsOf(caller),
      adapter_id,
      state: 'running',
      points_done: 0,
      points_total: points,
      report: null,
      error: null,
      started_by: caller.subject,
      heard_at: now,
      finished_at: null,
      created_at: now,
    };
    if (!(await this.runs.begin(run))) {
      throw new Problem(
        409,
        'conformance_running',
        'A conformance run of this adapter is in progress: wait until it has finished.',
      );
    }
    const stop = new AbortController();
    const done = this.run(run.id, baseUrl, fixtures, stop).finally(() => this.running.delete(stop));
    this.running.set(stop, done);
    return run;
  }

  /** @throws Problem 404 */
  async get(caller: Principal, adapterId: string, id: string): Promise<ConformanceRunRow> {
    const adapter = await this.adapters.get(caller, adapterId);
    await this.runs.giveUpSilent(adapter.id, this.settings.CONFORMANCE_MAX_MS);
    const run = await this.runs.find(adapter.id, id);
    if (!run) throw notFound('conformance_run', id);
    return run;
  }

  /** Newest first. @throws Problem 404 */
  async list(
    caller: Principal,
    adapterId: string,
    cursor: string | null,
    limit: number,
  ): Promise<Omit<ConformanceRunRow, 'report'>[]> {
    const adapter = await this.adapters.get(caller, adapterId);
    await this.runs.giveUpSilent(adapter.id, this.settings.CONFORMANCE_MAX_MS);
    return this.runs.list(adapter.id, cursor, limit);
  }

  async onModuleDestroy(): Promise<void> {
    for (const stop of this.running.keys()) stop.abort(new Error('the service was stopped'));
    await Promise.all(this.running.values());
  }

  private async run(id: string, url: string, fixtures: ConformanceFixtures, stop: AbortController): Promise<void> {
    const { CONFORMANCE_MAX_MS: maxMs, CONFORMANCE_TIMEOUT_MS: timeoutMs } = this.settings;
    const late = setTimeout(() => stop.abort(new Error(`it took over ${maxMs} ms`)), maxMs);
    const secrets = secretList(this.settings.GATEHOUSE_ADAPTER_SECRET?.split(',') ?? []);
    const through: PointResult[] = [];
    // Writes are serialised: an older count must not overwrite a newer one, nor arrive after the end.
    let written = Promise.resolve();
    try {
      const report = await checkAdapter({
        fixtures,
        start: () => ({ url }),
        single: true,
        timeoutMs,
        signal: stop.signal,
        send: this.sendUntil(stop.signal),
        ...(secrets.length > 0 ? { secret: secrets } : {}),
        onPoint: (point, total) => {
          through.push(point);
          const soFar = [...through];
          written = written
            .then(() => this.runs.progress(id, soFar, total))
            .catch((error: unknown) => this.lost(id, error));
        },
      });
      await written;
      await this.runs.finish(id, report);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      await this.runs.fail(id, reason).catch((failure: unknown) => this.lost(id, failure));
    } finally {
      clearTimeout(late);
    }
  }

  private sendUntil(stop: AbortSignal): SendCall {
    return async (url, { method, headers, body, signal }) => {
      stop.throwIfAborted();
      const { CONFORMANCE_TIMEOUT_MS: timeoutMs, ADAPTER_MAX_RESPONSE_BYTES: maxResponseBytes } = this.settings;
      try {
        const answer = await this.egress.fetch(url, {
          method,
          headers,
          ...(body === undefined ? {} : { body }),
          timeoutMs,
          maxResponseBytes,
          maxRedirects: 0,
          signal: AbortSignal.any([stop, signal]),
        });
        const pairs = Object.entries(answer.headers).flatMap(([name, value]) =>
          [value].flat().map((one): [string, string] => [name, one]),
        );
        return { status: answer.status, headers: new Headers(pairs), text: async () => answer.body.toString('utf8') };
      } catch (error) {
        if (error instanceof EgressError) throw new Error(`${error.code}: ${error.message}`, { cause: error });
        throw error;
      }
    };
  }

  private lost(id: string, error: unknown): void {
    this.logger.warn({ event: 'conformance.not_written', run: id, error: String(error) });
  }
}
