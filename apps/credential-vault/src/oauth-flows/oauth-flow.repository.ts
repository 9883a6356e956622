import type { ProjectScope } from '#libs/contracts';
import { Sweeping } from '#libs/database';
import { findHold, type ProjectHold } from '#libs/journal';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { OauthFlow } from './oauth-flow.entity.js';

export type NewFlow = Omit<
  OauthFlow,
  'credential' | 'expires_at' | 'consumed_at' | 'unconfirmed_attempt' | 'created_at'
>;

@Injectable()
export class OauthFlowRepository {
  constructor(private readonly db: DataSource) {}

  /** @returns when it expires, by the database's clock */
  async insert(flow: NewFlow, lifeSeconds: number): Promise<Date> {
    const names = Object.keys(columns) as (keyof NewFlow)[];
    const rows = await this.db.query<{ expires_at: Date }[]>(
      `INSERT INTO vault.oauth_flow (${names.join(', ')}, expires_at)
       VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')}, now() + make_interval(secs => $${names.length + 1}))
       RETURNING expires_at`,
      [...names.map((name) => flow[name]), lifeSeconds],
    );
    return rows[0]?.expires_at ?? new Date();
  }

  async findByState(stateHash: Buffer): Promise<{ flow: OauthFlow; expired: boolean } | null> {
    const flow = await this.db
      .createQueryBuilder(OauthFlow, 'f')
      .innerJoin('f.credential', 'c')
      .addSelect(['c.id', 'c.managed_for'])
      .where('f.state_hash = :stateHash', { stateHash })
      .getOne();
    return flow && { flow, expired: await this.isOver(flow.id) };
  }

  /** A flow that waits for a person to confirm the other account. */
  async findUnconfirmed(scope: ProjectScope, credentialId: string, id: string): Promise<OauthFlow | null> {
    return this.db
      .createQueryBuilder(OauthFlow, 'f')
      .where('f.organization_id = :organizationId AND f.project_id = :projectId', scope)
      .andWhere('f.id = :id AND f.credential_id = :credentialId', { id, credentialId })
      .andWhere('f.unconfirmed_attempt IS NOT NULL AND f.expires_at > now()')
      .getOne();
  }

  /** Whether the project of a flow is on its way to another installation, or from one, or has moved. */
  hold({ project_id: projectId }: OauthFlow): Promise<ProjectHold | null> {
    return findHold(this.db, projectId);
  }

  /** Consumes a state, which is usable once. @returns false when another request was first, or it has expired */
  async consume(id: string): Promise<boolean> {
    const [rows] = await this.db.query<[unknown[], number]>(
      'UPDATE vault.oauth_flow SET consumed_at = now() WHERE id = $1 AND consumed_at IS NULL AND expires_at > now() RETURNING id',
      [id],
    );
    return rows.length > 0;
  }

  /**
   * Keeps an attempt's tokens waiting. The person has as much time as for the flow itself.
   * @returns false when the credential was deleted or disconnected meanwhile
   */
  async awaitConfirmation(id: string, attemptId: string, lifeSeconds: number): Promise<boolean> {
    const [rows] = await this.db.query<[unknown[], number]>(
      `UPDATE vault.oauth_flow SET unconfirmed_attempt = $2, expires_at = now() + make_interval(secs => $3)
        WHERE id = $1 AND EXISTS (SELECT 1 FROM vault.refresh_attempt WHERE id = $2 AND finished_at IS NULL) RETURNING id`,
      [id, attemptId, lifeSeconds],
    );
    return rows.length > 0;
  }

  /** @returns false when it was already confirmed, or has expired */
  async confirm(manager: EntityManager, id: string): Promise<boolean> {
    const [rows] = await manager.query<[unknown[], number]>(
      'UPDATE vault.oauth_flow SET unconfirmed_attempt = NULL WHERE id = $1 AND unconfirmed_attempt IS NOT NULL AND expires_at > now() RETURNING id',
      [id],
    );
    return rows.length > 0;
  }

  /** Flows whose tokens were not confirmed in time. */
  unconfirmedInTime(limit: number): Promise<OauthFlow[]> {
    return this.db
      .createQueryBuilder(OauthFlow, 'f')
      .where('f.unconfirmed_attempt IS NOT NULL AND f.expires_at <= now()')
      .orderBy('f.expires_at')
      .limit(limit)
      .getMany();
  }

  /** @returns false when someone confirmed or gave up the tokens first */
  async forgetTokens(manager: EntityManager, { id, unconfirmed_attempt }: OauthFlow): Promise<boolean> {
    const [rows] = await manager.query<[unknown[], number]>(
      'UPDATE vault.oauth_flow SET unconfirmed_attempt = NULL WHERE id = $1 AND unconfirmed_attempt = $2 RETURNING id',
      [id, unconfirmed_attempt],
    );
    return rows.length > 0;
  }

  /** Cancels all pending confirmations of this credential. */
  async forgetAll(manager: EntityManager, credentialId: string): Promise<void> {
    await manager.query(
      `UPDATE vault.oauth_flow SET unconfirmed_attempt = NULL
        WHERE credential_id = $1 AND unconfirmed_attempt IS NOT NULL`,
      [credentialId],
    );
  }

  /** Flows and links are kept for a day after their end, so that people see the result. @returns how many flows */
  async purge(): Promise<number> {
    await this.db.query("DELETE FROM vault.connect_link WHERE expires_at < now() - interval '1 day'");
    const [, count] = await this.db.query<[unknown[], number]>(
      `DELETE FROM vault.oauth_flow WHERE id IN (
         SELECT id FROM vault.oauth_flow WHERE expires_at < now() - interval '1 day' LIMIT 1000)`,
    );
    return count;
  }

  private async isOver(id: string): Promise<boolean> {
    const rows = await this.db.query<unknown[]>(
      'SELECT 1 FROM vault.oauth_flow WHERE id = $1 AND expires_at <= now()',
      [id],
    );
    return rows.length > 0;
  }
}

const columns: Record<keyof NewFlow, true> = {
  id: true,
  credential_id: true,
  organization_id: true,
  project_id: true,
  subject: true,
  state_hash: true,
  browser_hash: true,
  provider: true,
  redirect_uri: true,
  return_to: true,
  kid: true,
  wrapped_dek: true,
  verifier: true,
};

/** Deletes flows and links that have ended. */
@Injectable()
export class ExpiredFlows extends Sweeping {
  constructor(flows: OauthFlowRepository) {
    super();
    this.sweepEvery({ name: 'oauth-flows', everyMs: 3_600_000, batch: 1_000, sweep: () => flows.purge() });
  }
}
