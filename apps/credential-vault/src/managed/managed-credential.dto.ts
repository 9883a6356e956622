import { idOf, JsonObject, Name, Text } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';

const configNote = 'An oauth_config, as PUT /api/v1/credentials/:id/oauth takes it';

export class CreateManagedCredential {
  @Name(200, { description: 'Unique in the project' }) name: string;
  @JsonObject({ description: configNote }) config: Record<string, unknown>;
  @Text(200, { minLength: 1, description: 'Who asked for it, for the audit log' }) requested_by: string;
}

export class ChangeManagedCredential {
  @Text(2_048, { minLength: 1 }) client_id: string;
  @Text(2_048, { optional: true, minLength: 1 }) client_secret?: string;
  @JsonObject({ description: configNote }) config: Record<string, unknown>;
  @Text(200, { minLength: 1 }) requested_by: string;
}

export class ManagedCredentialView {
  @ApiProperty(idOf('cred')) id: string;
  @ApiProperty({ description: 'Register it with the provider' }) redirect_uri: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'A client id that needs no registration, for providers that read client id metadata documents',
  })
  client_metadata_url: string | null;
}
