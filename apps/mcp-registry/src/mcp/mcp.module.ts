import { Module } from '@nestjs/common';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { Connections } from './connections.js';

@Module({
  imports: [CredentialsModule],
  providers: [Connections],
  exports: [Connections],
})
export class McpModule {}
