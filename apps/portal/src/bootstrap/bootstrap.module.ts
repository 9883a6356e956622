import { Module } from '@nestjs/common';
import { FirstTenantRepository } from './first-tenant.repository.js';

@Module({ providers: [FirstTenantRepository] })
export class BootstrapModule {}
