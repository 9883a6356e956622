import { ProjectRowsController, projectRowsProvider, ROW_PASSAGE } from '#libs/project-rows';
import { Module } from '@nestjs/common';
import { movedRows } from '../db/moved-rows.js';
import { SealingModule } from '../sealing/sealing.module.js';
import { ArrivalKeyController } from './arrival-key.controller.js';
import { HandOnKeyController } from './hand-on-key.controller.js';
import { MovedKeys } from './moved-keys.js';
import { OwnKeyRepository } from './own-key.repository.js';

@Module({
  imports: [SealingModule],
  controllers: [ArrivalKeyController, HandOnKeyController, ProjectRowsController],
  providers: [OwnKeyRepository, projectRowsProvider(movedRows), { provide: ROW_PASSAGE, useClass: MovedKeys }],
})
export class ArrivalsModule {}
