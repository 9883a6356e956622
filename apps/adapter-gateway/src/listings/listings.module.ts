import { Module } from '@nestjs/common';
import { AdaptersModule } from '../adapters/adapters.module.js';
import { AppsModule } from '../apps/apps.module.js';
import { ListingController } from './listing.controller.js';
import { ListingService } from './listing.service.js';

@Module({
  imports: [AdaptersModule, AppsModule],
  controllers: [ListingController],
  providers: [ListingService],
})
export class ListingsModule {}
