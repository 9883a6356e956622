import { Module } from '@nestjs/common';
import { EngineRetention } from './engine-retention.js';
import { RetentionRepository } from './retention.repository.js';

@Module({ providers: [EngineRetention, RetentionRepository] })
export class RetentionModule {}
