import { Module } from '@nestjs/common';
import { QueueController } from './queue.controller.js';
import { QueueStates } from './queue-states.js';

@Module({
  controllers: [QueueController],
  providers: [QueueStates],
  exports: [QueueStates],
})
export class QueuesModule {}
