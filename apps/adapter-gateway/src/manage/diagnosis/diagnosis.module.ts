import { Module } from '@nestjs/common';
import { AdaptersModule } from '../../adapters.module.js';
import { RegistrationModule } from '../registration/registration.module.js';
import { GatewayDiagnosis } from './gateway-diagnosis.js';

@Module({
  imports: [AdaptersModule, RegistrationModule],
  providers: [GatewayDiagnosis],
})
export class DiagnosisModule {}
