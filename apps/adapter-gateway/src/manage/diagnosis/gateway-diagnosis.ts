import { broken, Diagnoser, type Finding, type Principal, unwise, well } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { AdapterRow } from '../../entities/app.entity.js';
import { AdapterService } from '../registration/adapter.service.js';
import { HealthProbe } from '../adapters/health.js';
import { type GatewaySettings, SETTINGS } from '../../env.js';

/** Each one costs a call over the network. */
const adaptersAtMost = 20;

/**
 * Checks whether adapters are reachable from here, through the egress guard of all calls, and whether calls are signed.
 */
@Injectable()
export class GatewayDiagnosis {
  constructor(
    diagnoser: Diagnoser,
    private readonly adapters: AdapterService,
    private readonly health: HealthProbe,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {
    diagnoser.add(async () => [this.signing()]);
    diagnoser.add((caller) => this.reached(caller));
  }

  private signing(): Finding {
    if (this.settings.GATEHOUSE_ADAPTER_SECRET) return well('signatures', 'Calls of adapters are signed.');
    const text = 'Calls of adapters are not signed: whoever reaches an adapter can call it as Gatehouse.';
    return unwise('signatures', text, 'Set GATEHOUSE_ADAPTER_SECRET here and at the adapters.');
  }

  private async reached(caller: Principal): Promise<Finding[]> {
    const listed = (await this.adapters.list(caller)).filter(({ disabled }) => !disabled);
    return Promise.all(
      listed.slice(0, adaptersAtMost).flatMap((row) => (row.base_url ? this.asked(row, row.base_url) : [])),
    );
  }

  private async asked(
    { slug, organization_id: organizationId, project_id: projectId }: AdapterRow,
    url: string,
  ): Promise<Finding> {
    const {
      state,
      state_reason: reason,
      latency_ms: ms,
    } = await this.health.ask(url, slug, { organizationId, projectId });
    if (state === 'ready')
      return well('egress', `The adapter ${slug} is reached at ${url} in ${Math.round(ms ?? 0)} ms.`);
    const blocked = reason?.includes('GATEHOUSE_EGRESS_ALLOW') ?? false;
    const advice = blocked
      ? `Name ${new URL(url).host} in GATEHOUSE_EGRESS_ALLOW, if it is meant to be reached.`
      : 'Start the adapter, or register it where it is.';
    return broken('egress', `The adapter ${slug} at ${url} is not ready: ${reason ?? 'it does not say why'}.`, advice);
  }
}
