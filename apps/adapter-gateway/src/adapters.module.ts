import { Module } from '@nestjs/common';
import { AdapterClient } from './path/adapters/adapter-client.js';
import { AdapterReadiness } from './path/adapters/adapter-readiness.js';
import { AdapterRepository } from './manage/adapters/adapter.repository.js';
import { HealthPoller } from './manage/adapters/health-poller.js';
import { HealthProbe } from './manage/adapters/health.js';
import { InstalledRepository, ViolationLog } from './path/adapters/installed.repository.js';
import { ManifestFetch } from './manage/adapters/manifest.js';
import { OAuthProviderController } from './manage/adapters/oauth-provider.controller.js';
import { SkillAnnouncer } from './manage/adapters/skill-announcer.js';
import { SkillNewsRepository } from './manage/adapters/skill-news.repository.js';

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
