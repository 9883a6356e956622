import { Module } from '@nestjs/common';
import { SavedViewController } from './saved-view.controller.js';
import { SavedViewRepository } from './saved-view.repository.js';
import { SavedViewService } from './saved-view.service.js';

@Module({ controllers: [SavedViewController], providers: [SavedViewRepository, SavedViewService] })
export class ViewsModule {}
