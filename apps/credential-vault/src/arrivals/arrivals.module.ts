import { ProjectRowsController, projectRowsProvider, ROW_PASSAGE } from '#libs/project-rows';
import { Module } from '@nestjs/common';
import { movedRows } from '../db/moved-rows.js';
import { SealingModule } from '../sealing/sealing.module.js';
import { ArrivalKeyController } from './arrival-key.controller.js';
import { ArrivalKeyRepository } from './arrival-key.repository.js';
import { MovedKeys } from './moved-keys.js';

@Module({
  imports: [SealingModule],
  controllers: [ArrivalKeyController, ProjectRowsController],
  providers: [ArrivalKeyRepository, projectRowsProvider(movedRows), { provide: ROW_PASSAGE, useClass: MovedKeys }],
})
export class ArrivalsModule {}
