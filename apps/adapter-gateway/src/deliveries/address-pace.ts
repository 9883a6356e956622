import { isJsonObject, type Manifest } from '#libs/adapter-sdk';
import { Sweeping } from '#libs/database';
import { ProjectLimits } from '#libs/project-limits';
import { RunLater } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { GatewaySettings } from '../env.js';
import { SETTINGS } from '../settings.js';
import { AddressPaceRepository } from './address-pace.repository.js';

const cleanEveryMs = 600_000;
const idleMs = 3_600_000;
const minuteMs = 60_000;

/**
 * `message.rate_per_address` of a manifest: `count` messages in `seconds`, to one address. They are spaced evenly,
 * since a burst after a silence would exceed the rate in some window.
 */
interface AddressRate {
  count: number;
  seconds: number;
  /** Where it is set, for whoever wants to change it. */
  setBy: string;
}

interface Addressed {
  appId: string;
  projectId: string;
  address: string;
  /** Null: the built-in Webhook app, which has none. */
  manifest: Manifest | null;
}

/** Keeps an App from sending more to one address than its provider accepts. */
@Injectable()
export class AddressPace extends Sweeping {
  constructor(
    private readonly turns: AddressPaceRepository,
    private readonly limits: ProjectLimits,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {
    super();
    this.sweepEvery({
      name: 'address-pace',
      everyMs: cleanEveryMs,
      batch: 1,
      sweep: async () => {
        await this.turns.forgetOlderThan(idleMs);
        return 0;
      },
    });
  }

  /** @throws RunLater `address_rate` until the address's next slot is due */
  async take({ appId, projectId, address, manifest }: Addressed): Promise<void> {
    const rate = (manifest && declaredRate(manifest)) ?? this.rateOf(projectId);
    if (!rate) return;
    const hash = createHash('sha256').update(address).digest('hex');
    const waitMs = await this.turns.take(appId, hash, (rate.seconds * 1_000) / rate.count);
    if (waitMs === 0) return;
    const why = `Its address gets ${rate.count} messages in ${rate.seconds} s, and its turn comes in ${waitMs} ms. The limit is set by ${rate.setBy}.`;
    throw new RunLater(waitMs, 'address_rate', why);
  }

  private rateOf(projectId: string): AddressRate | null {
    const own = this.limits.of(projectId).deliveries_per_address_per_minute;
    const count = own ?? this.settings.ADDRESS_RATE_PER_MINUTE;
    const setBy = own === null ? 'ADDRESS_RATE_PER_MINUTE' : 'deliveries_per_address_per_minute of the project';
    return count > 0 ? { count, seconds: minuteMs / 1_000, setBy } : null;
  }
}

function declaredRate({ message }: Manifest): AddressRate | null {
  const rate: unknown = message?.rate_per_address;
  if (!isJsonObject(rate)) return null;
  const { count, seconds } = rate;
  if (typeof count !== 'number' || typeof seconds !== 'number' || !(count >= 1) || !(seconds > 0)) return null;
  return { count: Math.floor(count), seconds: Math.min(seconds, 86_400), setBy: 'the manifest of the adapter' };
}
