import { Injectable } from '@nestjs/common';
import { newId } from '#libs/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { MemberRepository } from '../../members/member.repository.js';
import type { RoleName } from '../../api-keys/roles.js';
import { UserAccount } from '../../members/user-account.entity.js';
import { UserIdentity } from '../user-identity.entity.js';
import { type Browser, type StartedSession, StartedSessionRepository } from '../started-session.repository.js';

/** Somebody as the issuer knows them. */
export interface Person {
  issuer: string;
  subject: string;
  /** Verified by the issuer; null: not verified, or not known. */
  email: string | null;
  name: string;
  /** The role that the issuer's claims currently map to. */
  claimedRole: RoleName | null;
  /** The role of a user whom nobody invited. */
  defaultRole: RoleName | null;
}

export type Refusal = 'not_invited' | 'identity_conflict' | 'not_a_member';

const issuerSpeaks = { subject: 'service:portal' };

/** Maps the issuer's identities to users, and gives them their memberships. */
@Injectable()
export class SingleSignOnRepository {
  constructor(
    private readonly db: DataSource,
    private readonly members: MemberRepository,
    private readonly sessions: StartedSessionRepository,
  ) {}

  signIn(person: Person, browser: Browser): Promise<StartedSession | Refusal> {
    return this.db.transaction(async (tx) => {
      const known = await this.userOf(tx, person);
      if (known === 'identity_conflict') return known;
      const granted = person.claimedRole ?? person.defaultRole;
      if (known === null && granted === null) return 'not_invited';
      const userId = known ?? (await this.newUser(tx, person));
      if (granted !== null) await this.grant(tx, userId, person, granted);
      const who = { user_id: userId, organization_id: null, method: 'oidc' as const };
      return (await this.sessions.start(tx, who, browser)) ?? 'not_a_member';
    });
  }

  /**
   * Matches by the issuer's own `sub`, and by address at the first sign-in. If the address belongs to a user with
   * another `sub`, it now belongs to somebody else.
   * @returns a user's id, `identity_conflict`, or null for somebody new
   */
  private async userOf(tx: EntityManager, { issuer, subject, email }: Person): Promise<string | null> {
    const identity = await tx.findOneBy(UserIdentity, { issuer, subject });
    if (identity) return identity.user_id;
    if (email === null) return null;
    const user = await tx.findOne(UserAccount, { where: { email }, lock: { mode: 'pessimistic_write' } });
    if (!user) return null;
    if (await tx.existsBy(UserIdentity, { issuer, user_id: user.id })) return 'identity_conflict';
    await tx.insert(UserIdentity, { issuer, subject, user_id: user.id });
    return user.id;
  }

  private async newUser(tx: EntityManager, { issuer, subject, email }: Person): Promise<string> {
    const id = email === null ? newId('usr') : await this.members.userByEmail(tx, email);
    if (email === null) await tx.insert(UserAccount, { id, email });
    await tx.insert(UserIdentity, { issuer, subject, user_id: id });
    return id;
  }

  /**
   * In the oldest organization: sets the claimed role at each sign-in, or the default role for a user without any
   * membership.
   */
  private async grant(tx: EntityManager, userId: string, { claimedRole, name }: Person, role: RoleName): Promise<void> {
    const [organization] = (await tx.query('SELECT id FROM portal.organization ORDER BY id LIMIT 1')) as {
      id: string;
    }[];
    if (!organization) return;
    const owners = await this.members.lockOwners(tx, organization.id);
    const member = await this.members.find(organization.id, userId, tx);
    if (!member) {
      if (claimedRole === null && (await this.isMember(tx, userId))) return;
      await this.members.add(tx, issuerSpeaks, { organization_id: organization.id, user_id: userId, name, role });
    } else if (claimedRole !== null && claimedRole !== member.role) {
      const isLastOwner = owners.length === 1 && owners[0] === userId;
      if (!isLastOwner) await this.members.change(tx, issuerSpeaks, member, { role: claimedRole });
    }
  }

  private async isMember(tx: EntityManager, userId: string): Promise<boolean> {
    const rows = (await tx.query('SELECT 1 FROM portal.member WHERE user_id = $1 LIMIT 1', [userId])) as unknown[];
    return rows.length > 0;
  }
}
