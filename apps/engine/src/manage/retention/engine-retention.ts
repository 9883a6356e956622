import { ProjectLimits, Retention } from '#libs/project-limits';
import { Inject, Injectable } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { type RetainedTable, RetentionRepository } from './retention.repository.js';

@Injectable()
export class EngineRetention extends Retention<RetainedTable> {
  constructor(rows: RetentionRepository, limits: ProjectLimits, @Inject(SETTINGS) settings: EngineSettings) {
    super(rows, limits, settings.RETENTION_DAYS);
  }
}
