import { Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import type { OauthClient } from '../oauth-providers/token-endpoint.js';
import { ClientPauseRepository, type PausedBy, type PauseInForce } from './client-pause.repository.js';
import { GrantClients } from './grant-clients.js';

/**
 * A refused client pauses the grants that have the same client id and secret at the same token host, and no others: one
 * credential may have it wrong. Secrets are compared here, so that none leaves a trace in the database.
 */
@Injectable()
export class ClientPauses {
  constructor(
    private readonly pauses: ClientPauseRepository,
    private readonly clients: GrantClients,
  ) {}

  /** Seconds for which this client would be refused again; 0: nobody knows that it would. */
  async secondsOf(grant: PausedBy, client: OauthClient): Promise<number> {
    for (const pause of await this.pauses.inForce(grant)) if (await this.isOf(client, pause)) return pause.seconds;
    return 0;
  }

  /** The provider has accepted this client, so that no pause for it holds. */
  async accepted(grant: PausedBy, client: OauthClient): Promise<void> {
    if ((await this.secondsOf(grant, client)) > 0) await this.pauses.lift(grant.credential_id);
  }

  /** A credential's client or its configuration was written. Whoever did that knows more than the last answer. */
  async lift(credentialId: string): Promise<void> {
    await this.pauses.lift(credentialId);
  }

  private async isOf(client: OauthClient, pause: PauseInForce): Promise<boolean> {
    try {
      const refused = await this.clients.read(pause, pause.credentialId);
      return refused.id === client.id && refused.secret?.reveal() === client.secret?.reveal();
    } catch (error) {
      // It was deleted, or does not open: nothing is known about its client.
      if (!(error instanceof Problem)) throw error;
      return false;
    }
  }
}
