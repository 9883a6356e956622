import { Module } from '@nestjs/common';
import { AdaptersModule } from '../../adapters.module.js';
import { AppsModule } from '../../apps.module.js';
import { AdapterChangeRepository } from './adapter-change.repository.js';
import { AdapterChangeService } from './adapter-change.service.js';
import { AdapterController } from './adapter.controller.js';
import { AdapterService } from './adapter.service.js';
import { ManifestVersionRepository } from './manifest-version.repository.js';

@Module({
  imports: [AdaptersModule, AppsModule],
  controllers: [AdapterController],
  providers: [AdapterChangeRepository, AdapterChangeService, AdapterService, ManifestVersionRepository],
  exports: [AdapterService],
})
export class RegistrationModule {}
