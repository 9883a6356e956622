import { Module } from '@nestjs/common';
import { ApiKeyController } from './api-key.controller.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { ApiKeyService } from './api-key.service.js';

@Module({
  controllers: [ApiKeyController],
  providers: [ApiKeyRepository, ApiKeyService],
  exports: [ApiKeyRepository],
})
export class ApiKeysModule {}
