import { Inject, Injectable } from '@nestjs/common';
import type { GatewaySettings } from '../env.js';
import { gatewaySettings } from '../settings.js';
import type { AppRow } from './app.entity.js';
import type { AppView } from './app-view.dto.js';
import { warningsOf } from './app-warnings.js';
import { directionOf } from './direction.js';

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
