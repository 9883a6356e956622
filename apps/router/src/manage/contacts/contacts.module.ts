import { Module } from '@nestjs/common';
import { HeldModule } from '../held/held.module.js';
import { RoutingModule } from '../../path/routing/routing.module.js';
import { ContactController } from './contact.controller.js';
import { ContactRepository } from './contact.repository.js';
import { ContactService } from './contact.service.js';

@Module({
  imports: [HeldModule, RoutingModule],
  controllers: [ContactController],
  providers: [ContactRepository, ContactService],
})
export class ContactsModule {}
