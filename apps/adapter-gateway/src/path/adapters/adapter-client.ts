import { type JsonObject, secretList, signStandardWebhooks } from '#libs/adapter-sdk';
import type { ProjectScope } from '#libs/contracts';
import { type Egress, EgressError, type EgressResponse } from '#libs/egress';
import { errorCode } from '#libs/queue';
import { Metrics } from '#libs/service-kit';
import { inSpan, traceparent } from '#libs/telemetry';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Gauge, Histogram } from 'prom-client';
import { EGRESS, type GatewaySettings, SETTINGS } from '../../env.js';
import { AdapterError, adapterErrorOf, jsonAnswer, requireSuccess } from './adapter-answer.js';
import { AdapterReadiness } from './adapter-readiness.js';
import { Breaker, CallSlots } from './call-limits.js';
import { ViolationLog } from './installed.repository.js';

interface Limits {
  timeoutMs: number;
  maxResponseBytes: number;
}

/** Base URLs of the adapters that this process must not call now, or only once. */
export interface AdapterLoad {
  /** Calls would wait: the circuit is open, or no slot is free. */
  closedTo: string[];
  /** One call may go through as a trial. */
  onTrial: string[];
}

/** The only caller of adapters: signs, bounds and checks every call (spec 4.1, 5). */
@Injectable()
export class AdapterClient implements OnApplicationShutdown {
  private readonly breaker = new Breaker((baseUrl) => this.closed(baseUrl));
  private readonly closedListeners: ((baseUrl: string) => void)[] = [];
  private readonly failedListeners: ((baseUrl: string) => void)[] = [];
  private readonly slots: CallSlots;
  private readonly requests: AdapterRequests;
  private readonly secrets: string[];

  constructor(
    @Inject(EGRESS) private readonly egress: Egress,
    private readonly violations: ViolationLog,
    private readonly readiness: AdapterReadiness,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
    metrics: Metrics,
  ) {
    this.requests = adapterRequests(metrics, () => this.breaker.open);
    this.secrets = secretList(settings.GATEHOUSE_ADAPTER_SECRET?.split(',') ?? []);
    this.slots = new CallSlots(settings.ADAPTER_CONCURRENCY);
  }

  /** A call that bypasses the circuit breaker, and that an adapter gets which is not ready: of `/health` and `/manifest.json`. @throws AdapterError */
  async get<T extends object>(
    baseUrl: string,
    path: string,
    context: ProjectScope,
    timeoutMs = this.settings.ADAPTER_TIMEOUT_MS,
  ): Promise<T> {
    const limits = { timeoutMs, maxResponseBytes: this.settings.ADAPTER_MAX_RESPONSE_BYTES };
    const answer = await this.send('GET', baseUrl, path, '', context, limits);
    return jsonAnswer(answer, path) as T;
  }

  /**
   * @param wrong what in an answer breaks the contract, or null
   * @throws AdapterError; RunLater while the adapter is not ready, its circuit is open, or all its slots are taken
   */
  post<T extends object>(
    baseUrl: string,
    path: string,
    body: object,
    context: ProjectScope,
    wrong: (answer: JsonObject) => string | null = () => null,
  ): Promise<T> {
    const limits = {
      timeoutMs: this.settings.ADAPTER_TIMEOUT_MS,
      maxResponseBytes: this.settings.ADAPTER_MAX_RESPONSE_BYTES,
    };
    return this.guarded(baseUrl, context, async () => {
      const answer = await this.send('POST', baseUrl, path, JSON.stringify(body), context, limits);
      const value = jsonAnswer(answer, path);
      const problem = wrong(value);
      if (problem) throw new AdapterError('contract_violation', `${path}: ${problem}`, false);
      return value as T;
    });
  }

  /**
   * Like `post`, for a call that the adapter answers when there is something to tell: it takes no slot from the others,
   * and says nothing about the circuit.
   * @param waitMs how long the adapter may take beside the time of any call
   */
  async hold<T extends object>(
    baseUrl: string,
    path: string,
    body: object,
    context: ProjectScope,
    waitMs: number,
    wrong: (answer: JsonObject) => string | null,
  ): Promise<T> {
    await this.readiness.require(baseUrl, context);
    const limits = {
      timeoutMs: waitMs + this.settings.ADAPTER_TIMEOUT_MS,
      maxResponseBytes: this.settings.ADAPTER_MAX_RESPONSE_BYTES,
    };
    const value = jsonAnswer(await this.send('POST', baseUrl, path, JSON.stringify(body), context, limits), path);
    const problem = wrong(value);
    if (problem === null) return value as T;
    this.violations.note(baseUrl, `${path}: ${problem}`);
    throw new AdapterError('contract_violation', `${path}: ${problem}`, false);
  }

  /** Like `post`, for the one route that may answer bytes; a longer answer is cut and marked as `truncated`. */
  fetchFile(baseUrl: string, body: object, context: ProjectScope, limits: Limits): Promise<EgressResponse> {
    const path = '/sources/fetch-file';
    return this.guarded(baseUrl, context, () =>
      this.send('POST', baseUrl, path, JSON.stringify(body), context, limits, 'truncate'),
    );
  }

  /**
   * Runs `read` on a well-formed answer. A contract violation that it finds is shown on the adapter's page.
   * @throws what `read` throws
   */
  reading<T>(baseUrl: string, read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (errorCode(error) === 'contract_violation')
        this.showViolation(baseUrl, error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  /** Shows a contract violation on the adapter's page. */
  showViolation(baseUrl: string, violation: string): void {
    this.violations.note(baseUrl, violation);
  }

  get load(): AdapterLoad {
    const { shut, halfOpen } = this.breaker.open;
    return { closedTo: [...shut, ...this.slots.full], onTrial: halfOpen };
  }

  /** Calls back when an adapter answers again after its circuit was open. */
  onClosedCircuit(listener: (baseUrl: string) => void): void {
    this.closedListeners.push(listener);
  }

  /** Calls back when a call fails in a way that says something about the adapter, not about the request. */
  onFailedCall(listener: (baseUrl: string) => void): void {
    this.failedListeners.push(listener);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.egress.close();
  }

  private closed(baseUrl: string): void {
    for (const listener of this.closedListeners) listener(baseUrl);
  }

  private async guarded<T>(baseUrl: string, context: ProjectScope, call: () => Promise<T>): Promise<T> {
    await this.readiness.require(baseUrl, context);
    const onTrial = this.breaker.check(baseUrl);
    return this.slots.run(baseUrl, async () => {
      const beganMs = performance.now();
      try {
        const answer = await call();
        this.breaker.succeeded(baseUrl);
        return answer;
      } catch (error) {
        if (!(error instanceof AdapterError)) throw error;
        // A contract violation is a bug with this message, a refusal is an answer to this request, and a route may be
        // missing: none means that the adapter is down.
        const isViolation = error.code === 'contract_violation';
        if (isViolation || error.refusal || error.lacksRoute) {
          this.breaker.succeeded(baseUrl);
          if (isViolation) this.violations.note(baseUrl, error.message);
          throw error;
        }
        // Nor does a `Retry-After`.
        if (error.retryAfterMs === null) {
          this.breaker.failed(baseUrl, beganMs);
          for (const listener of this.failedListeners) listener(baseUrl);
        }
        if (!onTrial) throw error;
        const { code, message, notSent, retryAfterMs, answer } = error;
        throw new AdapterError(code, message, notSent, { retryAfterMs, onTrial, ...(answer ? { answer } : {}) });
      }
    });
  }

  private async send(
    method: 'GET' | 'POST',
    baseUrl: string,
    path: string,
    body: string,
    context: ProjectScope,
    limits: Limits,
    onTooLarge: 'fail' | 'truncate' = 'fail',
  ): Promise<EgressResponse> {
    const beganMs = performance.now();
    try {
      const about = { 'http.request.method': method, 'url.path': path };
      const answer = await inSpan(`adapter ${path}`, 'client', about, () =>
        this.egress.fetch(`${baseUrl}${path}`, {
          method,
          headers: this.headers(method, body, context),
          ...(method === 'POST' ? { body } : {}),
          ...limits,
          maxRedirects: 0,
          onTooLarge,
        }),
      );
      requireSuccess(answer, path);
      this.requests.ended(path, 'ok', beganMs);
      return answer;
    } catch (error) {
      const failed = error instanceof EgressError ? adapterErrorOf(error, path) : error;
      this.requests.ended(path, errorCode(failed), beganMs);
      throw failed;
    }
  }

  private headers(method: string, body: string, context: ProjectScope): Record<string, string> {
    const id = `call_${randomUUID()}`;
    const parent = traceparent();
    return {
      ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      ...(context.organizationId ? { 'x-organization-id': context.organizationId } : {}),
      ...(context.projectId ? { 'x-project-id': context.projectId } : {}),
      'x-request-id': id,
      ...(parent === undefined ? {} : { traceparent: parent }),
      ...(this.secrets.length > 0 ? signStandardWebhooks({ secret: this.secrets, id, body }) : {}),
    };
  }
}

/** Metrics of calls of adapters. */
export interface AdapterRequests {
  /** @param route of the contract @param outcome `ok`, or the code of the error */
  ended(route: string, outcome: string, beganMs: number): void;
}

/** @param circuits open ones (`shut`), and those whose next call is a trial (`halfOpen`) */
export function adapterRequests(
  { registry }: Metrics,
  circuits: () => { shut: string[]; halfOpen: string[] },
): AdapterRequests {
  const registers = [registry];
  const seconds = new Histogram({
    name: 'gatehouse_adapter_request_seconds',
    help: 'Calls of adapters by route of the contract and outcome, as the gateway sees them',
    labelNames: ['route', 'outcome'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const open: Gauge<'state'> = new Gauge({
    name: 'gatehouse_adapter_circuits',
    help: 'Circuits of adapters that let nothing through (shut), or one call as a trial (half_open)',
    labelNames: ['state'],
    registers,
    collect: () => {
      const { shut, halfOpen } = circuits();
      open.set({ state: 'shut' }, shut.length);
      open.set({ state: 'half_open' }, halfOpen.length);
    },
  });
  return {
    ended: (route, outcome, beganMs) => seconds.observe({ route, outcome }, (performance.now() - beganMs) / 1_000),
  };
}
