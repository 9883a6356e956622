import { AuditLog } from '#libs/audit';
import { newId } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { SignInLinkView } from '../members/member.dto.js';
import { MemberRepository } from '../members/member.repository.js';
import { UserAccount } from '../members/user-account.entity.js';
import type { SessionSettings } from '../settings.js';
import { SignInLinkRepository } from '../members/sign-in-link.repository.js';

const operator = { subject: 'service:portal' };

type LinkSettings = Pick<SessionSettings, 'PUBLIC_URL' | 'SIGN_IN_LINK_SECONDS'>;

@Injectable()
export class OwnerLinkRepository {
  constructor(private readonly db: DataSource) {}

  /**
   * A link that signs the operator in as the organization's owner: its oldest owner who is not suspended, or a new one.
   * It reaches every organization of that owner. The previous link stops working.
   */
  make(organizationId: string, settings: LinkSettings): Promise<SignInLinkView> {
    const audit = new AuditLog(this.db, 'portal');
    const members = new MemberRepository(this.db, audit);
    return this.db.transaction(async (tx) => {
      await tx.query("SELECT pg_advisory_xact_lock(hashtext('gatehouse-bootstrap'))");
      const userId = (await oldestOwner(tx, organizationId)) ?? (await newOwner(tx, members, organizationId));
      return new SignInLinkRepository(audit, settings).make(tx, operator, { userId, organizationId: null });
    });
  }
}

async function oldestOwner(tx: EntityManager, organizationId: string): Promise<string | null> {
  const [owner] = (await tx.query(
    `SELECT user_id FROM portal.member WHERE organization_id = $1 AND role = 'owner' AND suspended_at IS NULL
      ORDER BY created_at, user_id LIMIT 1`,
    [organizationId],
  )) as { user_id: string }[];
  return owner?.user_id ?? null;
}

async function newOwner(tx: EntityManager, members: MemberRepository, organizationId: string): Promise<string> {
  const id = newId('usr');
  await tx.insert(UserAccount, { id, email: null });
  await members.add(tx, operator, { organization_id: organizationId, user_id: id, name: 'Owner', role: 'owner' });
  return id;
}
