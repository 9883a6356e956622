import { Failure, idOf, JsonObject, Name, NestedList, OneOf, Text, Whole } from '#libs/service-kit';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMinSize, ArrayUnique, Matches } from 'class-validator';
import {
  credentialStatuses,
  credentialTypes,
  type CredentialType,
  type OAuthGrant,
  oauthGrants,
} from '../credential-store/credential.entity.js';
import { DeclaredField } from '../credential-store/declared-field.js';

const slugPattern = /^[a-z0-9][a-z0-9-]{0,63}$/;
const slugMessage = { message: 'an adapter slug: a-z, 0-9 and -' };

/** A list of declared fields, as an optional property. */
const DeclaredFields = (): PropertyDecorator =>
  applyDecorators(
    NestedList(DeclaredField, 50, {
      optional: true,
      nullable: true,
      description: 'Only for text: what its fields must be',
    }),
    ArrayMinSize(1),
    ArrayUnique((field: unknown) => (field instanceof DeclaredField ? field.name : field), {
      message: 'declares a field twice',
    }),
  );

export class CreateCredential {
  @Name(200, { description: 'Unique in the project' }) name: string;
  @OneOf(credentialTypes) type: CredentialType;
  @OneOf(oauthGrants, { optional: true, nullable: true, description: 'Only for oauth2, and required there' })
  grant?: OAuthGrant | null;
  @DeclaredFields() declared_fields?: DeclaredField[] | null;
  @Matches(slugPattern, slugMessage)
  @Text(64, {
    optional: true,
    nullable: true,
    description: 'The adapter that verifies it, on every save and on demand',
  })
  adapter_slug?: string | null;
  @JsonObject({
    description:
      'api_key: {token}; oauth2: {client_id, client_secret, access_token, refresh_token}, of which the tokens are refreshed ' +
      'as soon as a token_url is known; text: 1 to 50 fields, those it declares if it declares any. A value is a string of up to 64 KiB; in a text credential also a list of up to 5.',
  })
  fields: Record<string, unknown>;
}

export class UpdateCredential {
  @Name(200, { optional: true }) name?: string;
  @DeclaredFields() declared_fields?: DeclaredField[] | null;
  @Matches(slugPattern, slugMessage) @Text(64, { optional: true, nullable: true }) adapter_slug?: string | null;
  @JsonObject({ optional: true, description: 'Merged into the existing fields; a field set to null is removed.' })
  fields?: Record<string, unknown>;
}

export class RotateCredential {
  @JsonObject({ description: 'All fields; any other is removed.' }) fields: Record<string, unknown>;
}

export class RotateField {
  @Text(64 * 1024, { minLength: 1, description: 'The new value: it signs from now on' }) value: string;
  @Whole(0, 2_592_000, {
    optional: true,
    description:
      'How long the previous value stays valid for checks of signatures. 0: not at all. Default: ROTATION_OVERLAP_SECONDS ' +
      'in a list and in a field that checks signatures, else 0',
  })
  overlap_seconds?: number;
}

export class DeleteQuery {
  @OneOf(['true', 'false'], { optional: true, description: 'true: even if something uses it' }) force?: string;
}

export class AccountView {
  @ApiProperty() id: string;
  @ApiProperty({ type: String, nullable: true }) name: string | null;
}

export class FieldNoteView {
  @ApiProperty() field: string;
  @ApiProperty({ description: 'For people' }) message: string;
}

export class RotatingField {
  @ApiProperty() field: string;
  @ApiProperty({ format: 'date-time', description: 'The previous value is valid until then' }) until: string;
}

/** What the management API shows of a credential; never a value. */
export class CredentialView {
  @ApiProperty(idOf('cred')) id: string;
  @ApiProperty() name: string;
  @ApiProperty({ enum: credentialTypes }) type: string;
  @ApiProperty({ enum: oauthGrants, nullable: true }) grant: string | null;
  @ApiProperty({ type: [String], description: 'Names of the fields; values are never shown' }) fields: string[];
  @ApiProperty({ type: [DeclaredField], nullable: true }) declared_fields: DeclaredField[] | null;
  @ApiProperty({ type: String, nullable: true }) adapter_slug: string | null;
  @ApiProperty({ type: 'integer' }) generation: number;
  @ApiProperty({ enum: credentialStatuses }) status: string;
  @ApiProperty({ type: String, nullable: true, description: 'Why the status is what it is' }) reason: string | null;
  @ApiProperty({
    type: AccountView,
    nullable: true,
    description: 'The account to which it belongs, according to the provider',
  })
  account: AccountView | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'mcp_server:<id>: it was made for this server, and is deleted with it',
  })
  managed_for: string | null;
  @ApiProperty({ type: Failure, nullable: true, description: 'Why changes of its state could not be sent' })
  notification_failure: Failure | null;
  @ApiProperty({ type: [RotatingField], description: 'Fields whose previous value is still valid' })
  rotating: RotatingField[];
  @ApiProperty({ format: 'date-time', type: String, nullable: true }) last_verified_at: string | null;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ format: 'date-time' }) updated_at: string;
  @ApiProperty({
    type: [FieldNoteView],
    required: false,
    description: 'In the answer to a save: what was changed of the given values, such as white space around them',
  })
  notes?: FieldNoteView[];
}

export class CredentialPage {
  @ApiProperty({ type: [CredentialView] }) data: CredentialView[];
  @ApiProperty({ type: String, nullable: true }) next_cursor: string | null;
}
