import { Inject, Injectable } from '@nestjs/common';
import type { ClientMetadataView } from './connect.dto.js';
import { GrantSetup } from './grant-setup.service.js';
import { SETTINGS, type VaultSettings } from '../settings.js';

/** Client id metadata documents (draft-ietf-oauth-client-id-metadata-document): the URL of one is a client id. */
@Injectable()
export class ClientMetadata {
  constructor(
    private readonly setup: GrantSetup,
    @Inject(SETTINGS) private readonly settings: VaultSettings,
  ) {}

  /** @returns null where nobody could read it: such a client id is an https URL */
  urlOf(slug: string): string | null {
    return this.settings.PUBLIC_URL.startsWith('https:') ? this.idOf(slug) : null;
  }

  /** Anyone may make one up; all that it can do is to bring a browser back here. */
  documentOf(slug: string): ClientMetadataView {
    return {
      client_id: this.idOf(slug),
      client_name: 'Gatehouse',
      redirect_uris: [this.setup.redirectUri(slug)],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  private idOf(slug: string): string {
    return `${this.settings.PUBLIC_URL}/api/v1/oauth/clients/${slug}`;
  }
}
