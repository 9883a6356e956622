import { Module } from '@nestjs/common';
import { ApiDescription } from './api-description.js';
import { DocumentationController } from './documentation.controller.js';
import { ServicesHealth } from './services-health.js';

@Module({
  controllers: [DocumentationController],
  providers: [ApiDescription, ServicesHealth],
})
export class DocumentationModule {}
