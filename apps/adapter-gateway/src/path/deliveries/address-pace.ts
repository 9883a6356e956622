import { isJsonObject, type Manifest } from '#libs/adapter-sdk';
import { Database, Sweeping } from '#libs/database';
import { ProjectLimits } from '#libs/project-limits';
import { RunLater } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { type GatewaySettings, SETTINGS } from '../../env.js';

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
    private readonly db: Database,
    private readonly limits: ProjectLimits,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {
    super();
    this.sweepEvery({
      name: 'address-pace',
      everyMs: cleanEveryMs,
      batch: 1,
      sweep: async () => {
        await this.db.query(
          `DELETE FROM gateway.address_pace WHERE next_at < now() - $1::float8 * interval '1 millisecond'`,
          [idleMs],
        );
        return 0;
      },
    });
  }

  /** @throws RunLater `address_rate` until the address's next slot is due */
  async take({ appId, projectId, address, manifest }: Addressed): Promise<void> {
    const rate = (manifest && declaredRate(manifest)) ?? this.rateOf(projectId);
    if (!rate) return;
    const hash = createHash('sha256').update(address).digest('hex');
    const waitMs = await this.nextSlot(appId, hash, (rate.seconds * 1_000) / rate.count);
    if (waitMs === 0) return;
    const why = `Its address gets ${rate.count} messages in ${rate.seconds} s, and its turn comes in ${waitMs} ms. The limit is set by ${rate.setBy}.`;
    throw new RunLater(waitMs, 'address_rate', why);
  }

  /**
   * Takes the next slot of an address if it is due. It holds for all replicas.
   * @param everyMs between two messages
   * @returns 0, or the ms until the slot is due
   */
  private async nextSlot(appId: string, addressHash: string, everyMs: number): Promise<number> {
    const taken = (await this.db.query(
      `INSERT INTO gateway.address_pace AS p (app_id, address_hash, next_at)
       VALUES ($1, $2, now() + make_interval(secs => $3))
       ON CONFLICT (app_id, address_hash) DO UPDATE SET next_at = now() + make_interval(secs => $3)
        WHERE p.next_at <= now() RETURNING app_id`,
      [appId, addressHash, everyMs / 1_000],
    )) as unknown[];
    if (taken.length > 0) return 0;
    const [row] = (await this.db.query(
      'SELECT next_at FROM gateway.address_pace WHERE app_id = $1 AND address_hash = $2',
      [appId, addressHash],
    )) as { next_at: Date }[];
    return Math.max(1, (row?.next_at.getTime() ?? 0) - Date.now());
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
