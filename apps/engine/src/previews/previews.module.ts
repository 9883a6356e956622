import { Module } from '@nestjs/common';
import { PreviewRepository } from './preview.repository.js';
import { PreviewStreams } from './preview-streams.js';
import { Previews } from './previews.service.js';

@Module({ providers: [PreviewRepository, PreviewStreams, Previews], exports: [PreviewStreams, Previews] })
export class PreviewsModule {}
