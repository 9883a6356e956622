import { Inject, Injectable } from '@nestjs/common';
import type { ClientMetadataView } from './connect.dto.js';
import { GrantSetup } from './grant-setup.service.js';
import { SETTINGS, type VaultSettings } from '../settings.js';

/** Client ID metadata documents (draft-ietf-oauth-client-id-metadata-document): the document's URL is the client id. */
@Injectable()
export class ClientMetadata {
  constructor(
    private readonly setup: GrantSetup,
    @Inject(SETTINGS) private readonly settings: VaultSettings,
  ) {}

  /** @returns null when nobody could fetch it: such a client id must be an https URL */
  urlOf(slug: string): string | null {
    return this.settings.PUBLIC_URL.startsWith('https:') ? this.idOf(slug) : null;
  }

  /** Works for any slug. The document's only effect is to allow redirects of a browser back here. */
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
