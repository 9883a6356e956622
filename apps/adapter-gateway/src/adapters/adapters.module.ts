import { Module } from '@nestjs/common';
import { AdapterClient } from './adapter-client.js';
import { AdapterReadiness } from './adapter-readiness.js';
import { AdapterRepository } from './adapter.repository.js';
import { HealthPoller } from './health-poller.js';
import { HealthProbe } from './health.js';
import { InstalledRepository, ViolationLog } from './installed.repository.js';
import { ManifestFetch } from './manifest.js';
import { OAuthProviderController } from './oauth-provider.controller.js';
import { SkillAnnouncer } from './skill-announcer.js';
import { SkillNewsRepository } from './skill-news.repository.js';

@Module({
  controllers: [OAuthProviderController],
  providers: [
    AdapterClient,
    AdapterReadiness,
    AdapterRepository,
    HealthPoller,
    HealthProbe,
    InstalledRepository,
    ManifestFetch,
    SkillAnnouncer,
    SkillNewsRepository,
    ViolationLog,
  ],
  exports: [
    AdapterClient,
    AdapterReadiness,
    AdapterRepository,
    HealthPoller,
    HealthProbe,
    InstalledRepository,
    ManifestFetch,
  ],
})
export class AdaptersModule {}
