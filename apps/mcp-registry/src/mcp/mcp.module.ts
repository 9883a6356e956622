import { Module } from '@nestjs/common';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { ConnectionOpener } from './connection-opener.js';
import { Connections } from './connections.js';
import { SessionSweep } from './session-sweep.js';
import { SessionRepository } from './session.repository.js';

@Module({
  imports: [CredentialsModule],
  providers: [ConnectionOpener, Connections, SessionRepository, SessionSweep],
  exports: [ConnectionOpener, Connections],
})
export class McpModule {}
