import type { ProjectScope } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { OauthGrant } from './grant.entity.js';

export interface PauseInForce extends ProjectScope {
  credentialId: string;
  /** Seconds until it is over. */
  seconds: number;
}

/** A credential and its client. */
export type PausedBy = Pick<OauthGrant, 'client_key' | 'credential_id'>;

/** Each is another refused pair of client id and secret, of which one client has very few. */
const maxInForce = 20;

@Injectable()
export class ClientPauseRepository {
  constructor(private readonly db: DataSource) {}

  /** The pauses of a grant's client that its other credentials caused, and whose client is still the refused one. */
  async inForce({ client_key, credential_id }: PausedBy): Promise<PauseInForce[]> {
    if (client_key === null) return [];
    return this.db.query<PauseInForce[]>(
      `SELECT c.id AS "credentialId", c.organization_id AS "organizationId", c.project_id AS "projectId",
              extract(epoch FROM p.until - now())::double precision AS seconds
         FROM vault.client_pause p JOIN vault.credential c ON c.id = p.credential_id AND c.generation = p.generation
        WHERE p.client_key = $1 AND p.credential_id <> $2 AND p.until > now() ORDER BY p.until DESC LIMIT $3`,
      [client_key, credential_id, maxInForce],
    );
  }

  /** Ends all pauses of a credential's client: its grants are refreshed as soon as they are due or asked for. */
  async lift(credentialId: string): Promise<void> {
    await this.db.query(
      `WITH client AS (SELECT client_key FROM vault.oauth_grant WHERE credential_id = $1),
            ended AS (DELETE FROM vault.client_pause p USING client WHERE p.client_key = client.client_key),
            waiting AS (
              SELECT g.credential_id FROM vault.oauth_grant g JOIN client ON client.client_key = g.client_key
               WHERE g.state = 'degraded' AND g.reason = 'client_rejected' AND g.next_try_at > now()
               ORDER BY g.credential_id FOR UPDATE OF g)
       UPDATE vault.oauth_grant g SET next_try_at = now(), swept_at = NULL FROM waiting
        WHERE g.credential_id = waiting.credential_id`,
      [credentialId],
    );
  }
}

/** In the transaction that records the refusal. */
export async function pauseClient(
  manager: EntityManager,
  { client_key, credential_id }: PausedBy,
  generation: number,
  seconds: number,
): Promise<void> {
  if (client_key === null) return;
  await manager.query(
    `INSERT INTO vault.client_pause (client_key, credential_id, generation, until)
     VALUES ($1, $2, $3, now() + make_interval(secs => $4))
     ON CONFLICT (client_key, credential_id) DO UPDATE SET generation = excluded.generation, until = excluded.until`,
    [client_key, credential_id, generation, seconds],
  );
}
