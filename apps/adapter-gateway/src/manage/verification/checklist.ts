import type { Credentials } from '#libs/adapter-sdk';
import { type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { InstalledRepository } from '../../path/adapters/installed.repository.js';
import { type SampleEndpoint, SampleEndpoints } from '../samples/sample-endpoint.js';
import { AdapterChecks } from './adapter-checks.js';
import { type Check, type CheckId, checkNames, checkOf, notApplicable, type Verdict } from './check.js';
import { EndpointChecks } from './endpoint-checks.js';
import { HandshakeCheck } from './handshake-check.js';
import type { InstalledApp } from '../../path/apps/installed-apps.js';

type Verdicts = Record<CheckId, Verdict>;
type ReceivingVerdicts = Omit<Verdicts, 'adapter_ready' | 'credentials_accepted' | 'delivery_prepared'>;

/** What is known of an App before its other checks. */
interface Found {
  ready: Verdict;
  /** The verdict on them. */
  credentials: Promise<Verdict>;
  /** Whether the adapter answers: one that does not is not called again. */
  answers: Promise<boolean>;
}

/** Runs all checks of Verify for an App. */
@Injectable()
export class Checklist {
  constructor(
    private readonly rows: InstalledRepository,
    private readonly endpoints: SampleEndpoints,
    private readonly adapter: AdapterChecks,
    private readonly endpoint: EndpointChecks,
    private readonly handshake: HandshakeCheck,
  ) {}

  /** Polls the adapter; what that finds holds for all calls of it from then on. */
  async adapterReady(app: InstalledApp['app']): Promise<Verdict> {
    return this.adapter.ready(app.adapter_id === null ? null : await this.rows.adapter(app.adapter_id));
  }

  async run(
    caller: Principal,
    installed: InstalledApp,
    { ready: adapter_ready, credentials, answers }: Found,
  ): Promise<Check[]> {
    const [credentials_accepted, delivery_prepared, receiving] = await Promise.all([
      credentials,
      this.adapter.prepares(caller, installed, answers),
      this.receiving(caller, installed, answers),
    ]);
    const verdicts: Verdicts = { adapter_ready, credentials_accepted, delivery_prepared, ...receiving };
    return (Object.keys(checkNames) as CheckId[]).map((id) => checkOf(id, verdicts[id]));
  }

  private async receiving(
    caller: Principal,
    { app }: InstalledApp,
    answers: Promise<boolean>,
  ): Promise<ReceivingVerdicts> {
    let found: SampleEndpoint;
    try {
      found = await this.endpoints.of(app);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return everything(
        error.code === 'does_not_receive' ? notApplicable(error.detail) : { status: 'failed', sentence: error.detail },
      );
    }
    const secrets = await this.secrets(found);
    const [endpoint, handshake_answered] = await Promise.all([
      this.endpoint.run(caller, found, { secrets, answers }),
      this.handshake.run(caller, found, secrets),
    ]);
    return { ...endpoint, handshake_answered };
  }

  /** Empty if they cannot be read: the check of the credentials says why. */
  private async secrets(found: SampleEndpoint): Promise<Credentials> {
    try {
      return await this.endpoints.secretsOf(found);
    } catch (error) {
      if (error instanceof Problem) return {};
      throw error;
    }
  }
}

function everything(verdict: Verdict): ReceivingVerdicts {
  return {
    endpoint_reachable: verdict,
    sample_accepted: verdict,
    unsigned_refused: verdict,
    tampered_refused: verdict,
    stale_refused: verdict,
    handshake_answered: verdict,
    clock_skew: verdict,
  };
}
