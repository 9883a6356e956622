import { Module } from '@nestjs/common';
import { OutageRepository } from './outage.repository.js';
import { OutageService } from './outage.service.js';

@Module({ providers: [OutageRepository, OutageService] })
export class OutagesModule {}
