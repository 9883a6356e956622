import { Module } from '@nestjs/common';
import { ReceiptsModule } from '../receipts/receipts.module.js';
import { AttentionController } from './attention.controller.js';

@Module({ imports: [ReceiptsModule], controllers: [AttentionController] })
export class AttentionModule {}
