import { Module } from '@nestjs/common';
import { RefusalController } from './refusal.controller.js';
import { RefusalLog } from './refusal.repository.js';

@Module({
  controllers: [RefusalController],
  providers: [RefusalLog],
  exports: [RefusalLog],
})
export class RefusalsModule {}
