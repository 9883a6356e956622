import { Module } from '@nestjs/common';
import { PreviewController } from './preview.controller.js';
import { PreviewRepository } from './preview.repository.js';
import { PreviewStreams } from './preview-streams.js';
import { Previews } from './previews.service.js';

@Module({
  controllers: [PreviewController],
  providers: [PreviewRepository, PreviewStreams, Previews],
  exports: [PreviewStreams, Previews],
})
export class PreviewsModule {}
