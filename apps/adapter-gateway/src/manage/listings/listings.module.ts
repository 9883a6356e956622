import { Module } from '@nestjs/common';
import { AdaptersModule } from '../../adapters.module.js';
import { AppsModule } from '../../apps.module.js';
import { RegistrationModule } from '../registration/registration.module.js';
import { ListingController } from './listing.controller.js';
import { ListingService } from './listing.service.js';
import { ShippedAdapters } from './shipped-adapters.js';

@Module({
  imports: [AdaptersModule, AppsModule, RegistrationModule],
  controllers: [ListingController],
  providers: [ListingService, ShippedAdapters],
})
export class ListingsModule {}
