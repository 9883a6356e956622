import { Caller, type Principal, Problem, RequireScopes } from '#libs/service-kit';
import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { importJWK, type JWK, SignJWT } from 'jose';
import { handOnKey, OwnKeyRepository } from './own-key.repository.js';

const lifetime = '60s';

/** For the portal, which hands on the webhooks of projects that have left. */
@ApiExcludeController()
@Controller('internal/hand-on-key')
@RequireScopes('service')
export class HandOnKeyController {
  constructor(private readonly keys: OwnKeyRepository) {}

  @Get()
  async get(): Promise<{ public_key: JWK }> {
    return { public_key: await this.keys.publicKey(handOnKey) };
  }

  /** A proof, for some seconds, that whoever shows it hands on webhooks of the caller's project, which has left here. */
  @Post('tokens')
  @HttpCode(200)
  async token(@Caller() { subject, projectId }: Principal): Promise<{ token: string }> {
    if (subject !== 'service:portal') throw new Problem(403, 'not_the_portal', `${subject} may not hand on webhooks.`);
    const key = (await this.keys.isHandedOn(projectId)) ? await this.keys.privateKey(handOnKey) : null;
    if (!key)
      throw new Problem(409, 'not_left', `The project ${projectId} has not left here, or its webhooks end here.`);
    const signed = new SignJWT()
      .setProtectedHeader({ alg: handOnKey.algorithm, typ: 'JWT' })
      .setAudience('gatehouse:handed-on')
      .setSubject(projectId)
      .setIssuedAt()
      .setExpirationTime(lifetime);
    return { token: await signed.sign(await importJWK(key, handOnKey.algorithm)) };
  }
}
