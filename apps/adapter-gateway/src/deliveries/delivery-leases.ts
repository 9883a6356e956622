import { Liveness, Sweeper } from '#libs/database';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { GatewaySettings } from '../env.js';
import { SETTINGS } from '../settings.js';
import { DeliveryRepository } from './delivery.repository.js';

const renewalsPerLease = 3;

/** Renews the leases of the deliveries that this process attempts: an attempt may outlast its lease. */
@Injectable()
export class DeliveryLeases implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly held = new Set<string>();
  private readonly renewer: Sweeper;

  constructor(
    deliveries: DeliveryRepository,
    liveness: Liveness,
    @Inject(SETTINGS) { DELIVERY_LEASE_MS: leaseMs }: GatewaySettings,
  ) {
    this.renewer = new Sweeper({
      name: 'delivery-leases',
      everyMs: leaseMs / renewalsPerLease,
      batch: 1,
      sweep: async () => {
        await deliveries.renew([...this.held], liveness.owners, leaseMs);
        return 0;
      },
    });
  }

  onApplicationBootstrap(): void {
    this.renewer.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.renewer.stop();
  }

  /** Renews the lease of a claimed delivery until the work is done. */
  async during<T>(deliveryId: string, work: () => Promise<T>): Promise<T> {
    this.held.add(deliveryId);
    try {
      return await work();
    } finally {
      this.held.delete(deliveryId);
    }
  }
}
