import { Module } from '@nestjs/common';
import { AdapterCallsModule } from '../adapter-calls/adapter-calls.module.js';
import { AdaptersModule } from '../../adapters.module.js';
import { AppsModule } from '../../apps.module.js';
import { InboundModule } from '../../inbound.module.js';
import { SamplesModule } from '../samples/samples.module.js';
import { AdapterChecks } from './adapter-checks.js';
import { AppVerificationController } from './app-verification.controller.js';
import { AppVerification } from './app-verification.js';
import { Checklist } from './checklist.js';
import { EndpointChecks } from './endpoint-checks.js';
import { HandshakeCheck } from './handshake-check.js';

@Module({
  imports: [AdapterCallsModule, AdaptersModule, AppsModule, InboundModule, SamplesModule],
  controllers: [AppVerificationController],
  providers: [AdapterChecks, AppVerification, Checklist, EndpointChecks, HandshakeCheck],
})
export class VerificationModule {}
