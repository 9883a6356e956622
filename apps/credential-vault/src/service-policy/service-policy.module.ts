import { Module } from '@nestjs/common';
import { SETTINGS, type VaultSettings } from '../settings.js';
import { ServicePolicy } from './service-policy.js';

@Module({
  providers: [
    {
      provide: ServicePolicy,
      useFactory: ({ SERVICE_POLICY: rules }: VaultSettings) => new ServicePolicy(rules),
      inject: [SETTINGS],
    },
  ],
  exports: [ServicePolicy],
})
export class ServicePolicyModule {}
