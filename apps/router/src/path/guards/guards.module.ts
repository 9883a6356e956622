import { Module } from '@nestjs/common';
import { Clock } from './clock.js';
import { OutboundHandler } from './outbound.handler.js';
import { OutboundRepository } from './outbound.repository.js';

@Module({
  controllers: [OutboundHandler],
  providers: [Clock, OutboundRepository],
  exports: [Clock],
})
export class GuardsModule {}
