import { Module } from '@nestjs/common';
import { DocumentReader } from './document-reader.service.js';

@Module({ providers: [DocumentReader], exports: [DocumentReader] })
export class DocumentsModule {}
