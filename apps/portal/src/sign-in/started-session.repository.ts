import { AuditLog } from '#libs/audit';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import { hashOf } from '../api-keys/key-text.js';
import type { SignInMethod } from '../authentication/member-session.entity.js';
import { MemberSessionRepository } from '../authentication/member-session.repository.js';
import { SignInLinkRepository } from '../members/sign-in-link.repository.js';

/** The browser that somebody signs in with. */
export interface Browser {
  address: string;
  userAgent: string | null;
  requestId: string;
}

export interface StartedSession {
  /** The cookie's value. It is not stored. */
  token: string;
  /** The key for `findSignedIn`. */
  hash: Buffer;
}

const maxUserAgent = 500;

/** Starts sessions. One transaction also uses up what entitles to the session, and writes the audit log. */
@Injectable()
export class StartedSessionRepository {
  constructor(
    private readonly db: DataSource,
    private readonly links: SignInLinkRepository,
    private readonly sessions: MemberSessionRepository,
    private readonly audit: AuditLog,
  ) {}

  /** @returns null for a link that does not exist, was used, has expired, or whose user is no member any more */
  byLink(token: string, browser: Browser): Promise<StartedSession | null> {
    return this.db.transaction(async (tx) => {
      const link = await this.links.use(tx, token);
      return link && (await this.start(tx, { ...link, method: 'link' }, browser));
    });
  }

  /** @returns null when the user has no membership that the session would reach */
  async start(
    tx: EntityManager,
    who: { user_id: string; organization_id: string | null; method: SignInMethod },
    { address, userAgent, requestId }: Browser,
  ): Promise<StartedSession | null> {
    const token = randomBytes(32).toString('base64url');
    const [organizations] = (await tx.query(
      `UPDATE portal.member SET last_seen_at = now()
        WHERE user_id = $1 AND suspended_at IS NULL AND ($2::text IS NULL OR organization_id = $2)
       RETURNING organization_id`,
      [who.user_id, who.organization_id],
    )) as [{ organization_id: string }[], number];
    if (organizations.length === 0) return null;
    const agent = userAgent?.slice(0, maxUserAgent) ?? null;
    const hash = hashOf(token);
    const { id } = await this.sessions.insert(tx, { ...who, hash, address, user_agent: agent });
    for (const { organization_id: organizationId } of organizations) {
      const by = { organizationId, projectId: '', subject: `user:${who.user_id}`, requestId };
      const after = { method: who.method, address, user_agent: agent };
      await this.audit.append(tx, by, { action: 'session.started', subject: id, before: null, after });
    }
    return { token, hash };
  }
}
