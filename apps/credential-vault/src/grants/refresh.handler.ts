import { CredentialRefreshPayload, CredentialRevokePayload } from '#libs/contracts';
import type { DeadJob } from '#libs/queue';
import { Controller, Logger } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { DueGrants } from './due-grants.js';
import { RevocationService } from './revocation.service.js';

/** Jobs only say when. The rows say whether there is work and which. A sweeper makes up for dead jobs. */
@Controller()
export class RefreshHandler {
  private readonly logger = new Logger('refresh');

  constructor(
    private readonly due: DueGrants,
    private readonly revocations: RevocationService,
  ) {}

  @EventPattern('credential.refresh')
  refresh(@Payload() { credential_id, version }: CredentialRefreshPayload): Promise<void> {
    return this.due.refresh(credential_id, version);
  }

  @EventPattern('credential.refresh.dead')
  refreshDead(@Payload() job: DeadJob<CredentialRefreshPayload>): void {
    this.logger.warn({ event: 'refresh.job_dead', credential_id: job.payload.credential_id, code: job.code });
  }

  @EventPattern('credential.revoke')
  revoke(@Payload() { revocation_id }: CredentialRevokePayload): Promise<void> {
    return this.revocations.run(revocation_id);
  }

  @EventPattern('credential.revoke.dead')
  revokeDead(@Payload() job: DeadJob<CredentialRevokePayload>): void {
    this.logger.warn({ event: 'revocation.job_dead', revocation_id: job.payload.revocation_id, code: job.code });
  }
}
