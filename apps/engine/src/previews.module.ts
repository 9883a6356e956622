import { Module } from '@nestjs/common';
import { PreviewController } from './manage/previews/preview.controller.js';
import { PreviewRepository } from './manage/previews/preview.repository.js';
import { PreviewStreams } from './manage/previews/preview-streams.js';
import { Previews } from './path/previews/previews.service.js';

@Module({
  controllers: [PreviewController],
  providers: [PreviewRepository, PreviewStreams, Previews],
  exports: [PreviewStreams, Previews],
})
export class PreviewsModule {}
