import { ProjectLimits, Retention } from '#libs/project-limits';
import { Inject, Injectable } from '@nestjs/common';
import type { RouterSettings } from '../../../env.js';
import { SETTINGS } from '../../../settings.js';
import { type RetainedTable, RetentionRepository } from './retention.repository.js';

@Injectable()
export class RouterRetention extends Retention<RetainedTable> {
  constructor(rows: RetentionRepository, limits: ProjectLimits, @Inject(SETTINGS) settings: RouterSettings) {
    super(rows, limits, settings.RETENTION_DAYS);
  }
}
