import { isJsonObject, type Manifest } from '#libs/adapter-sdk';
import { Sweeping } from '#libs/database';
import { RunLater } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { GatewaySettings } from '../env.js';
import { gatewaySettings } from '../settings.js';
import { AddressPaceRepository } from './address-pace.repository.js';

const cleanEveryMs = 600_000;
const idleMs = 3_600_000;
const minuteMs = 60_000;

/**
 * `message.rate_per_address` of a manifest: so many messages in so many seconds, to one address. They are spaced evenly:
 * a burst after a silence would be over the rate in some window.
 */
interface AddressRate {
  count: number;
  seconds: number;
}

/** Keeps an App from sending more to one address than its provider takes. */
@Injectable()
export class AddressPace extends Sweeping {
  constructor(
    @Inject(AddressPaceRepository) private readonly turns: AddressPaceRepository,
    @Inject(gatewaySettings) private readonly settings: GatewaySettings,
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

  /** @throws RunLater `address_rate` until the address's turn comes */
  async take(appId: string, address: string, manifest: Manifest): Promise<void> {
    const rate = declaredRate(manifest) ?? this.defaultRate();
    if (!rate) return;
    const hash = createHash('sha256').update(address).digest('hex');
    const waitMs = await this.turns.take(appId, hash, (rate.seconds * 1_000) / rate.count);
    if (waitMs > 0) throw new RunLater(waitMs, 'address_rate');
  }

  private defaultRate(): AddressRate | null {
    const count = this.settings.ADDRESS_RATE_PER_MINUTE;
    return count > 0 ? { count, seconds: minuteMs / 1_000 } : null;
  }
}

function declaredRate({ message }: Manifest): AddressRate | null {
  const rate: unknown = message?.rate_per_address;
  if (!isJsonObject(rate)) return null;
  const { count, seconds } = rate;
  if (typeof count !== 'number' || typeof seconds !== 'number' || !(count >= 1) || !(seconds > 0)) return null;
  return { count: Math.floor(count), seconds: Math.min(seconds, 86_400) };
}
