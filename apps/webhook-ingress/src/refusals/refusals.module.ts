import { Module } from '@nestjs/common';
import { RefusalController } from './refusal.controller.js';
import { RefusalLog } from './refusal-log.js';
import { RefusalRepository } from './refusal.repository.js';

@Module({
  controllers: [RefusalController],
  providers: [RefusalLog, RefusalRepository],
  exports: [RefusalLog],
})
export class RefusalsModule {}
