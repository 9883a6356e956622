import { AuditLog } from '#libs/audit';
import { newId } from '#libs/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { hashOf } from '../api-keys/key-text.js';
import { type SessionSettings, SETTINGS } from '../settings.js';
import type { SignInLinkView } from './member.dto.js';
import type { AuditCaller } from './member.repository.js';
import type { SignInLink } from './sign-in-link.entity.js';

type LinkSettings = Pick<SessionSettings, 'PUBLIC_URL' | 'SIGN_IN_LINK_SECONDS'>;

@Injectable()
export class SignInLinkRepository {
  constructor(
    private readonly audit: AuditLog,
    @Inject(SETTINGS) private readonly settings: LinkSettings,
  ) {}

  /**
   * Replaces unused links of the same user and scope. The token is in the URL's fragment, which browsers never send, so
   * it is in no log.
   * @param organizationId null: for all organizations of the user, which only the operator may ask for
   */
  async make(
    tx: EntityManager,
    by: AuditCaller,
    { userId, organizationId }: { userId: string; organizationId: string | null },
  ): Promise<SignInLinkView> {
    const token = randomBytes(32).toString('base64url');
    await tx.query(
      `DELETE FROM portal.sign_in_link
        WHERE user_id = $1 AND (organization_id IS NOT DISTINCT FROM $2 OR expires_at < now() - interval '30 days')
          AND used_at IS NULL`,
      [userId, organizationId],
    );
    const [made] = (await tx.query(
      `INSERT INTO portal.sign_in_link (id, hash, user_id, organization_id, made_by, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6)) RETURNING id, expires_at`,
      [newId('sil'), hashOf(token), userId, organizationId, by.subject, this.settings.SIGN_IN_LINK_SECONDS],
    )) as Pick<SignInLink, 'id' | 'expires_at'>[];
    if (!made) throw new Error('a link was inserted and is not there');
    const after = { member: userId, expires_at: made.expires_at };
    const change = { action: 'sign_in_link.created' as const, subject: made.id, before: null, after };
    if (organizationId !== null) await this.audit.append(tx, { ...by, organizationId, projectId: '' }, change);
    return {
      sign_in_link: `${this.settings.PUBLIC_URL}/sign-in#token=${token}`,
      sign_in_link_expires_at: made.expires_at.toISOString(),
    };
  }

  /**
   * Uses a link up; only one concurrent caller succeeds.
   * @returns null when there is none, or it was used or has expired
   */
  async use(tx: EntityManager, token: string): Promise<Pick<SignInLink, 'id' | 'user_id' | 'organization_id'> | null> {
    const [[used]] = (await tx.query(
      `UPDATE portal.sign_in_link SET used_at = now() WHERE hash = $1 AND used_at IS NULL AND expires_at > now()
       RETURNING id, user_id, organization_id`,
      [hashOf(token)],
    )) as [SignInLink[], number];
    return used ?? null;
  }
}
