import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { FailedKeys } from './failed-keys.js';
import { KeyAuthenticator } from './key-authenticator.js';
import { MemberSessionRepository } from './member-session.repository.js';
import { OpenRequests } from './open-requests.js';
import { ProjectReach } from './project-reach.js';
import { RecentWriteRepository } from '../recent-writes/recent-write.repository.js';
import { RecentWrites } from '../recent-writes/recent-writes.js';
import { SessionAuthenticator } from './session-authenticator.js';

@Module({
  imports: [ApiKeysModule, ProjectsModule],
  providers: [
    FailedKeys,
    KeyAuthenticator,
    MemberSessionRepository,
    OpenRequests,
    ProjectReach,
    RecentWriteRepository,
    RecentWrites,
    SessionAuthenticator,
  ],
  exports: [MemberSessionRepository],
})
export class AuthenticationModule {}
