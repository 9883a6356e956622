import { Module } from '@nestjs/common';
import { QueueController } from './queue.controller.js';

@Module({
  controllers: [QueueController],
})
export class QueuesModule {}
