import { Module } from '@nestjs/common';
import { RefusalController } from './refusal.controller.js';
import { RefusalLog } from './refusal-log.js';
import { RefusalListRepository } from './refusal-list.repository.js';
import { RefusalRepository } from './refusal.repository.js';

@Module({
  controllers: [RefusalController],
  providers: [RefusalListRepository, RefusalLog, RefusalRepository],
  exports: [RefusalLog],
})
export class RefusalsModule {}
