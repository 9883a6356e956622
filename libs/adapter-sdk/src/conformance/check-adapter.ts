import type { SecretInput } from '../secret-strength.js';
import type { SendCall } from './adapter-calls.js';
import type { ConformanceFixtures } from './fixtures.js';
import { Kit, type RunningAdapter } from './kit.js';
import { withProviderUrl } from './load-fixtures.js';
import { identity } from './points/01-identity.js';
import { credentials } from './points/02-credentials.js';
import { webhookVerification } from './points/03-webhook-verification.js';
import { parsing } from './points/04-parsing.js';
import { ownMessages } from './points/05-own-messages.js';
import { dedupKeys } from './points/06-dedup-keys.js';
import { threads } from './points/07-threads.js';
import { handshake } from './points/08-handshake.js';
import { delivering } from './points/09-delivering.js';
import { formatting } from './points/10-formatting.js';
import { documentSources } from './points/11-document-sources.js';
import { statelessness } from './points/12-statelessness.js';
import { secrets } from './points/13-secrets.js';
import { isolation } from './points/14-isolation.js';
import { http } from './points/15-http.js';
import { countByStatus, pointStatus, type ConformanceReport, type PointResult } from './report.js';
import { startFakeProvider } from './start-fake-provider.js';
import type { FakeProvider } from './fake-provider.js';
import type { WebhookSigner } from './webhook-signing.js';

const POINTS = [
  identity,
  credentials,
  webhookVerification,
  parsing,
  ownMessages,
  dedupKeys,
  threads,
  handshake,
  delivering,
  formatting,
  documentSources,
  statelessness,
  secrets,
  isolation,
  http,
];

const TIMEOUT_MS = 20_000;

export interface CheckAdapterOptions {
  fixtures: ConformanceFixtures;
  /**
   * Starts an instance that reaches its provider at the given address. Called again for the checks of statelessness.
   */
  start(providerUrl: string): Promise<RunningAdapter> | RunningAdapter;
  /** There is only one instance, which `start` names instead of starting it: statelessness is skipped. */
  single?: boolean;
  /** Used instead of the fixtures' fake provider. */
  provider?: FakeProvider;
  /** Port of the fake provider on 127.0.0.1. Default any free one. */
  providerPort?: number;
  /** Used instead of the fixtures' recipe. */
  signer?: WebhookSigner;
  /** Platform call secret, if the adapter requires signed calls. */
  secret?: SecretInput;
  /** Longest wait for one answer. Default 20 s. */
  timeoutMs?: number;
  /** Used instead of `fetch`, for callers with rules on where a call may lead. */
  send?: SendCall;
  /** Called after each point. */
  onPoint?: (point: PointResult, of: number) => void;
  /** Ends the run before its next point, by throwing its reason. */
  signal?: AbortSignal;
}

/** Runs the fifteen points against an adapter. The adapter's faults are in the report; a kit that cannot run throws. */
export async function checkAdapter(options: CheckAdapterOptions): Promise<ConformanceReport> {
  const startedAt = new Date();
  const provider = options.provider ?? (await fakeOf(options));
  try {
    const start = async (): Promise<RunningAdapter> => options.start(provider?.url ?? '');
    const first = await start();
    try {
      const fixtures = withProviderUrl(options.fixtures, provider?.url ?? '');
      const kit = new Kit({
        fixtures,
        first,
        timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
        ...(!options.single && { another: start }),
        ...(provider && { provider }),
        ...(options.signer && { signer: options.signer }),
        ...(options.secret && { secret: options.secret }),
        ...(options.send && { send: options.send }),
      });
      return report(kit, await runPoints(kit, options), startedAt);
    } finally {
      await first.close?.();
    }
  } finally {
    if (!options.provider) await provider?.close();
  }
}

async function fakeOf({ fixtures, providerPort }: CheckAdapterOptions): Promise<FakeProvider | undefined> {
  const { provider, deliver } = fixtures;
  if (!provider) return undefined;
  return startFakeProvider({ routes: provider.routes, faults: deliver?.faults ?? {}, port: providerPort ?? 0 });
}

async function runPoints(kit: Kit, { onPoint, signal }: CheckAdapterOptions): Promise<PointResult[]> {
  const points: PointResult[] = [];
  for (const point of POINTS) {
    signal?.throwIfAborted();
    kit.results = [];
    await point.run(kit);
    const result = { point: point.number, title: point.title, status: pointStatus(kit.results), checks: kit.results };
    points.push(result);
    onPoint?.(result, POINTS.length);
  }
  return points;
}

function report(kit: Kit, points: PointResult[], startedAt: Date): ConformanceReport {
  const summary = countByStatus(points);
  return {
    contract: '1',
    url: kit.settings.first.url,
    adapter: typeof kit.manifest.slug === 'string' ? kit.manifest.slug : null,
    version: kit.version,
    started_at: startedAt.toISOString(),
    duration_ms: Date.now() - startedAt.getTime(),
    ok: summary.failed === 0,
    summary,
    points,
  };
}
