import { Module } from '@nestjs/common';
import { RoutingModule } from '../../path/routing/routing.module.js';
import { HeldController } from './held.controller.js';
import { HeldRepository } from './held.repository.js';

@Module({
  imports: [RoutingModule],
  controllers: [HeldController],
  providers: [HeldRepository],
  exports: [HeldRepository],
})
export class HeldModule {}
