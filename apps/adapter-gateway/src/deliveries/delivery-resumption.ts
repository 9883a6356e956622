import { deliverySend } from '#libs/contracts';
import { JobClient } from '#libs/queue';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { AdapterClient } from '../adapters/adapter-client.js';
import { circuitOpenCode } from '../adapters/breaker.js';
import { busyCode } from '../adapters/call-slots.js';
import { HealthPoller } from '../adapters/health-poller.js';
import { disabledCode, notReadyCode } from '../adapters/adapter-not-ready.js';
import { AppRepository } from '../apps/app.repository.js';
import { credentialWaitCodes } from '../apps/credential-not-ready.js';
import { CredentialWaits } from '../apps/credential-waits.js';
import { answerLostCode } from './answer-lost.js';
import { jobOf } from './delivery-job.js';
import { DeliveryRepository } from './delivery.repository.js';

const batch = 500;
const notReadyCodes = [notReadyCode, disabledCode, answerLostCode];
const failedCodes = [circuitOpenCode, busyCode, 'timeout', 'provider_unavailable', answerLostCode];

/** Expedites deliveries as soon as their adapter takes calls again, or their credential can be used. */
@Injectable()
export class DeliveryResumption implements OnApplicationBootstrap {
  private readonly logger = new Logger('deliveries');

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly apps: AppRepository,
    private readonly poller: HealthPoller,
    private readonly adapters: AdapterClient,
    private readonly waits: CredentialWaits,
    private readonly jobs: JobClient,
  ) {}

  onApplicationBootstrap(): void {
    this.poller.onReady(async (adapterId) => this.resume(idsOf(await this.apps.ofAdapter(adapterId)), notReadyCodes));
    this.waits.onRelease((appIds) => this.resume(appIds, [...credentialWaitCodes, answerLostCode]));
    this.adapters.onClosedCircuit((baseUrl) => void this.answersAgain(baseUrl));
  }

  private async answersAgain(baseUrl: string): Promise<void> {
    try {
      await this.resume(idsOf(await this.apps.ofAdapterAt(baseUrl)), failedCodes);
    } catch (error) {
      // They are retried later in any case.
      this.logger.warn({ event: 'delivery.not_resumed', error: String(error) });
    }
  }

  private async resume(appIds: string[], codes: string[]): Promise<void> {
    if (appIds.length === 0) return;
    for (;;) {
      const rows = await this.deliveries.resume(appIds, codes, batch);
      await Promise.all(rows.map((row) => this.jobs.enqueue(deliverySend, jobOf(row))));
      if (rows.length < batch) return;
    }
  }
}

const idsOf = (apps: { id: string }[]): string[] => apps.map(({ id }) => id);
