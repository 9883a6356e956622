import type { ProjectScope } from '#libs/contracts';
import { notFound } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { GrantEventRepository } from '../grants/grant-transition.repository.js';
import { GrantRepository } from '../grants/grant.repository.js';
import type { GrantView } from './connect.dto.js';
import { GrantSetup } from './grant-setup.service.js';

const shownEvents = 20;

/** What people see of a grant. */
@Injectable()
export class GrantViews {
  constructor(
    private readonly grants: GrantRepository,
    private readonly events: GrantEventRepository,
    private readonly setup: GrantSetup,
  ) {}

  /** @throws Problem 404 `grant_not_found` */
  async of(scope: ProjectScope, credentialId: string): Promise<GrantView> {
    const found = await this.grants.find(scope, credentialId);
    if (!found) throw notFound('grant', credentialId);
    const { grant } = found;
    const events = await this.events.latest(credentialId, shownEvents);
    const refreshing = grant.attempt_id !== null && (grant.state === 'active' || grant.state === 'degraded');
    return {
      credential_id: credentialId,
      grant: grant.grant_type,
      state: refreshing ? 'refreshing' : grant.state,
      reason: grant.reason,
      provider: grant.provider_slug,
      redirect_uri: this.setup.redirectUri(grant.provider_slug),
      version: grant.version,
      scopes: grant.scopes,
      missing_scopes: grant.missing_scopes,
      answer_fields: Object.keys(grant.answer_fields ?? {}).sort(),
      last_refreshed_at: timeOf(grant.obtained_at),
      access_token_expires_at: timeOf(grant.at_expires_at),
      next_refresh_at: timeOf(grant.refresh_due_at),
      consecutive_failures: grant.consecutive_failures,
      events: events.map((one) => ({
        at: one.at.toISOString(),
        from: one.from_state,
        to: one.to_state,
        reason: one.reason,
      })),
    };
  }
}

/** Postgres' `infinity`, for something never due, arrives as a number. */
const timeOf = (date: Date | null): string | null => (date instanceof Date ? date.toISOString() : null);
