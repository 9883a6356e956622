import type { Credentials } from '../call-context.js';
import type { SecretInput } from '../secret-strength.js';
import type { JsonObject } from '../json-value.js';
import type { Capability } from '../manifest.js';
import { redactSecrets } from '../secret-redaction.js';
import { AdapterCalls, NoAnswer, type Answer, type SendCall } from './adapter-calls.js';
import { CheckFailed, NotApplicable, Skipped } from './check.js';
import type { ConformanceFixtures } from './fixtures.js';
import type { CheckResult } from './report.js';
import type { FakeProvider } from './fake-provider.js';
import { signerOf, type WebhookSigner } from './webhook-signing.js';

/** One running instance of the adapter. */
export interface RunningAdapter {
  /** Where it is mounted: its `/health` is below that. */
  url: string;
  /** What it has written to its log so far. */
  logs?(): string;
  close?(): Promise<void>;
}

export interface KitSettings {
  fixtures: ConformanceFixtures;
  first: RunningAdapter;
  /** Starts another instance; without it, the checks of statelessness are skipped. */
  another?: () => Promise<RunningAdapter>;
  provider?: FakeProvider;
  signer?: WebhookSigner;
  secret?: SecretInput;
  /** Longest wait for an answer. */
  timeoutMs: number;
  send?: SendCall;
}

const SHOWN_LENGTH = 600;
const MIN_SECRET_LENGTH = 8;

/** What the points share: the adapter under test, its manifest and fixtures, and the results so far. */
export class Kit {
  readonly fixtures: ConformanceFixtures;
  readonly adapter: AdapterCalls;
  readonly signer: WebhookSigner | undefined;
  readonly provider: FakeProvider | undefined;
  /** The answer of `/manifest.json`; an empty object until then, or when it is not a JSON object. */
  manifest: JsonObject = {};
  /** What `/health` says. */
  version: string | null = null;
  results: CheckResult[] = [];
  /** Calls whose answer contained a secret of the fixtures. */
  readonly leaks: Answer[] = [];

  private readonly passed = new Set<string>();

  constructor(readonly settings: KitSettings) {
    this.fixtures = settings.fixtures;
    this.provider = settings.provider;
    const recipe = settings.fixtures.webhooks?.signing;
    this.signer = settings.signer ?? (recipe && signerOf(recipe));
    this.adapter = this.callsTo(settings.first);
  }

  callsTo({ url }: RunningAdapter): AdapterCalls {
    return new AdapterCalls({
      url: url.replace(/\/$/, ''),
      timeoutMs: this.settings.timeoutMs,
      onAnswer: (answer) => {
        if (this.secrets().some((secret) => answer.text.includes(secret))) this.leaks.push(answer);
      },
      ...(this.settings.secret && { secret: this.settings.secret }),
      ...(this.settings.send && { send: this.settings.send }),
    });
  }

  get credentials(): Credentials {
    return this.fixtures.credentials?.good ?? {};
  }

  /** Runs one check; whatever it throws becomes its result. `advice` says what to do when it fails. */
  async check(id: string, title: string, advice: string, run: () => Promise<void>): Promise<void> {
    const declared = this.fixtures.not_applicable;
    const reason = declared?.[id] ?? declared?.[id.split('.', 1)[0] ?? id];
    if (reason !== undefined) {
      this.results.push({ id, title, status: 'not_applicable', reason });
      return;
    }
    this.provider?.reset();
    try {
      await run();
      this.passed.add(id);
      this.results.push({ id, title, status: 'passed' });
    } catch (error) {
      this.results.push({ id, title, ...this.outcome(error, advice) });
    }
  }

  /** @throws Skipped unless the other check has passed: its failure is reported there, once */
  needsPassed(id: string): void {
    if (!this.passed.has(id)) throw new Skipped(`${id} has to pass first`);
  }

  /** @throws NotApplicable when the manifest does not declare the capability */
  needsCapability(capability: Capability): void {
    if (!this.offers(capability)) throw new NotApplicable(`the manifest does not declare ${capability}`);
  }

  offers(capability: Capability): boolean {
    return Array.isArray(this.manifest.capabilities) && this.manifest.capabilities.includes(capability);
  }

  /** Secrets in the fixtures' credentials, which no answer may contain. */
  secrets(): string[] {
    const open = new Set(this.fixtures.public_credentials ?? []);
    const records = Object.values(this.fixtures.credentials ?? {});
    const values = records.flatMap((record) =>
      Object.entries(record).flatMap(([field, value]) =>
        open.has(field) ? [] : Array.isArray(value) ? value : [value],
      ),
    );
    return values.filter((value): value is string => typeof value === 'string' && value.length >= MIN_SECRET_LENGTH);
  }

  private outcome(error: unknown, advice: string): Pick<CheckResult, 'status' | 'reason' | 'failure'> {
    if (error instanceof Skipped) return { status: 'skipped', reason: error.message };
    if (error instanceof NotApplicable) return { status: 'not_applicable', reason: error.message };
    const failed = (request: string, expected: string, got: string) => ({
      status: 'failed' as const,
      failure: { request: this.shown(request), expected, got: this.shown(got), advice },
    });
    if (error instanceof CheckFailed) return failed(error.request, error.expected, error.got);
    if (error instanceof NoAnswer) return failed(error.request, 'an answer', error.message);
    throw error;
  }

  private shown(text: string): string {
    const redacted = redactSecrets(text, Object.values(this.fixtures.credentials ?? {}));
    return redacted.length > SHOWN_LENGTH
      ? `${redacted.slice(0, SHOWN_LENGTH)}… (${redacted.length} characters)`
      : redacted;
  }
}
