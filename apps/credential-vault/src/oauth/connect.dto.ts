import { idOf, JsonObject, OneOf, Text, Whole } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { returnRoutes, type ReturnRoute } from './return-routes.js';

export class ConfigureOauth {
  @Text(64, {
    optional: true,
    description: 'The adapter whose manifest has the oauth_config. Default: the credential’s',
  })
  provider?: string;
  @JsonObject({
    optional: true,
    description:
      'An oauth_config of your own: issuer, or authorization_url and token_url; revocation_url, resource, scopes, scope_separator, ' +
      'pkce, token_auth_method, extra_authorize_params, quirks',
  })
  config?: Record<string, unknown>;
}

export class StartConnect {
  @OneOf(returnRoutes, {
    optional: true,
    description:
      'Where the browser goes afterwards: a page that says that it is done, or in the console the list of credentials, this one, ' +
      'or the MCP server for which it was made',
  })
  return_to?: ReturnRoute;
}

export class CreateConnectLink {
  @Whole(60, 604_800, { optional: true, description: 'How long it works. Default: one day' })
  expires_in_seconds?: number;
}

export class ConnectStarted {
  @ApiProperty(idOf('flw')) flow_id: string;
  @ApiProperty({ description: 'Open it in the browser that has the cookie of this answer' }) authorization_url: string;
  @ApiProperty({ format: 'date-time' }) expires_at: string;
}

export class ConnectLinkView {
  @ApiProperty() url: string;
  @ApiProperty({ format: 'date-time' }) expires_at: string;
}

export class GrantEventView {
  @ApiProperty({ format: 'date-time' }) at: string;
  @ApiProperty() from: string;
  @ApiProperty() to: string;
  @ApiProperty({ type: String, nullable: true }) reason: string | null;
}

/** What the management API shows of a grant; never a token. */
export class GrantView {
  @ApiProperty(idOf('cred')) credential_id: string;
  @ApiProperty({ enum: ['authorization_code', 'client_credentials'] }) grant: string;
  @ApiProperty({ enum: ['pending', 'active', 'refreshing', 'degraded', 'needs_reconnect', 'revoked', 'undecryptable'] })
  state: string;
  @ApiProperty({ type: String, nullable: true }) reason: string | null;
  @ApiProperty() provider: string;
  @ApiProperty({ description: 'Register it with the provider' }) redirect_uri: string;
  @ApiProperty({ type: 'integer' }) version: number;
  @ApiProperty({ type: [String] }) scopes: string[];
  @ApiProperty({ type: [String], description: 'Requested but not granted' }) missing_scopes: string[];
  @ApiProperty({
    type: [String],
    description: 'What token answers brought besides tokens, such as instance_url: adapters and tools get it by name',
  })
  answer_fields: string[];
  @ApiProperty({ type: String, nullable: true, format: 'date-time' }) last_refreshed_at: string | null;
  @ApiProperty({ type: String, nullable: true, format: 'date-time' }) access_token_expires_at: string | null;
  @ApiProperty({ type: String, nullable: true, format: 'date-time' }) next_refresh_at: string | null;
  @ApiProperty({ type: 'integer' }) consecutive_failures: number;
  @ApiProperty({ type: [GrantEventView], description: 'The last 20 changes of its state, newest first' })
  events: GrantEventView[];
}

/** A client ID metadata document (draft-ietf-oauth-client-id-metadata-document). */
export class ClientMetadataView {
  @ApiProperty({ format: 'uri' }) client_id: string;
  @ApiProperty() client_name: string;
  @ApiProperty({ type: [String] }) redirect_uris: string[];
  @ApiProperty({ type: [String] }) grant_types: string[];
  @ApiProperty({ type: [String] }) response_types: string[];
  @ApiProperty() token_endpoint_auth_method: string;
}
