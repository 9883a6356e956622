import { Module } from '@nestjs/common';
import { ProjectServices } from './project-services.js';
import { TemplateController } from './template.controller.js';
import { TemplateRepository } from './template.repository.js';
import { TemplateService } from './template.service.js';

@Module({
  controllers: [TemplateController],
  providers: [ProjectServices, TemplateRepository, TemplateService],
})
export class TemplatesModule {}
