import { Inject, Injectable } from '@nestjs/common';
import type { GatewaySettings } from '../env.js';
import { gatewaySettings } from '../settings.js';
import type { AppRow } from './app.entity.js';
import { type AppWarning, warningsOf } from './app-warnings.js';
import { type Direction, directionOf } from './direction.js';

type Hidden =
  'retired_token_hashes' | 'previous_token_hash' | 'organization_id' | 'origin_marker' | 'has_reply_address' | 'self';

/** An App as the API shows it. An App that does not receive has no webhook to show. */
export type AppView = Omit<AppRow, Hidden | 'webhook_token'> & {
  direction: Direction | null;
  webhook_token: string | null;
  webhook_path: string | null;
  webhook_url: string | null;
  /** What the App cannot do as it is, and what to do. */
  warnings: AppWarning[];
};

@Injectable()
export class AppViews {
  constructor(@Inject(gatewaySettings) private readonly settings: GatewaySettings) {}

  of(row: AppRow): AppView {
    const {
      retired_token_hashes: _hashes,
      previous_token_hash: _previous,
      organization_id: _organization,
      origin_marker: _marker,
      has_reply_address: _hasReplyAddress,
      self: _self,
      ...shown
    } = row;
    const token = row.capabilities.includes('receive') ? row.webhook_token : null;
    const path = token && `/api/v1/webhooks/${token}`;
    return {
      ...shown,
      direction: directionOf(row.capabilities),
      webhook_token: token,
      webhook_path: path,
      webhook_url: path && `${this.settings.PUBLIC_URL}${path}`,
      warnings: warningsOf(row),
    };
  }
}
