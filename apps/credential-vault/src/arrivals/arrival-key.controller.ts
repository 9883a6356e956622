import { RequireScopes } from '#libs/service-kit';
import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { arrivalKey, OwnKeyRepository } from './own-key.repository.js';

/** For the portal, which shows it to whoever moves a project here. */
@ApiExcludeController()
@Controller('internal/arrival-key')
@RequireScopes('service')
export class ArrivalKeyController {
  constructor(private readonly keys: OwnKeyRepository) {}

  @Get()
  async get(): Promise<{ public_key: JWK; thumbprint: string }> {
    const publicKey = await this.keys.publicKey(arrivalKey);
    return { public_key: publicKey, thumbprint: await calculateJwkThumbprint(publicKey) };
  }
}
