import { Sweeping } from '#libs/database';
import { Problem } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { SETTINGS, type VaultSettings } from '../settings.js';
import { CredentialService } from './credential.service.js';
import { FieldRotationRepository } from './field-rotation.repository.js';

const retrySeconds = 60;

/** Drops replaced values when their overlap ends. The rows say which: a process that dies leaves them to the next. */
@Injectable()
export class EndedRotations extends Sweeping {
  private readonly logger = new Logger('rotations');

  constructor(
    private readonly rows: FieldRotationRepository,
    private readonly credentials: CredentialService,
    @Inject(SETTINGS) { ROTATION_SWEEP_MS: everyMs }: VaultSettings,
  ) {
    super();
    this.sweepEvery({ name: 'rotations', everyMs, batch: 50, sweep: (limit) => this.sweep(limit) });
  }

  private async sweep(limit: number): Promise<number> {
    const due = await this.rows.due(limit);
    for (const ended of due) {
      try {
        await this.credentials.endOverlap(ended);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        const { credential_id, field } = ended;
        this.logger.warn({ event: 'rotation.not_ended', credential_id, field, code: error.code });
        await this.rows.retryLater(ended, retrySeconds);
      }
    }
    return due.length;
  }
}
