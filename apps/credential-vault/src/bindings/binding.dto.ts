import { idOf, JsonObject, Nested, NestedList, OneOf, Text, TextList } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { KeyCheckBody } from '../key-checks/key-check.dto.js';
import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { type ConsumerKind, consumerKinds } from '../credential-store/credential-binding.entity.js';

const fieldsNote = 'What it may read; absent or null: every field that needs no approval';
const mapsToNote = 'Names under which the consumer gets fields: {field: name}; any other field keeps its own name';
const signingNote =
  'Fields that a signature check may read, by either name; null: every field. Absent: as before, or none';
const adapterNote =
  'The consumer’s adapter, if it declares an oauth_config: tokens that the credential has as fields are refreshed there';
const approveNote = 'Which of client_secret and refresh_token this binding may read; needs the scope admin';

/** The consumer for which a service asks. */
export class Consumer {
  @OneOf(consumerKinds) kind: ConsumerKind;
  @Text(100, { minLength: 1 }) id: string;
}

export class CreateBinding {
  @OneOf(consumerKinds) consumer_kind: ConsumerKind;
  @Text(100, { minLength: 1 }) consumer_id: string;
  @TextList(50, 64, { optional: true, nullable: true, description: fieldsNote }) fields?: string[] | null;
  @JsonObject({ optional: true, description: mapsToNote }) maps_to?: Record<string, string>;
  @TextList(10, 64, { optional: true, description: approveNote }) approve?: string[];
}

export class UpdateBinding {
  @TextList(50, 64, { optional: true, nullable: true, description: fieldsNote }) fields?: string[] | null;
  @JsonObject({ optional: true, description: mapsToNote }) maps_to?: Record<string, string>;
  @TextList(10, 64, { optional: true, description: approveNote }) approve?: string[];
}

/** A service's binding for a consumer that it manages. Fields that need approval have no effect until approved. */
export class BindConsumer {
  @Text(100, { minLength: 1 }) credential_id: string;
  @ApiProperty({ type: Consumer }) @ValidateNested() @Type(() => Consumer) consumer: Consumer;
  @TextList(50, 64, { optional: true, nullable: true, description: fieldsNote }) fields?: string[] | null;
  @JsonObject({ optional: true, description: mapsToNote }) maps_to?: Record<string, string>;
  @TextList(50, 64, { optional: true, nullable: true, description: signingNote }) signing?: string[] | null;
  @Text(64, { optional: true, description: adapterNote }) adapter_slug?: string;
  @Nested(KeyCheckBody, { optional: true, nullable: true }) key_check?: KeyCheckBody | null;
}

export class UsedCredential {
  @Text(100, { minLength: 1 }) credential_id: string;
  @TextList(50, 64, { optional: true, nullable: true, description: signingNote }) signing?: string[] | null;
  @Text(64, { optional: true, description: adapterNote }) adapter_slug?: string;
  @Nested(KeyCheckBody, { optional: true, nullable: true }) key_check?: KeyCheckBody | null;
}

/** All credentials of a consumer. An empty list unbinds all. */
export class BindConsumerToAll {
  @NestedList(UsedCredential, 100) credentials: UsedCredential[];
}

export class UnknownCredentials {
  @ApiProperty({ type: [String], description: 'Ids that do not exist in this project; the others are bound' })
  unknown: string[];
}

export class UnbindQuery {
  @Text(100, { optional: true, minLength: 1, description: 'Only this credential; absent: all' })
  credential_id?: string;
}

export class BindingView {
  @ApiProperty(idOf('bnd')) id: string;
  @ApiProperty(idOf('cred')) credential_id: string;
  @ApiProperty({ enum: consumerKinds }) consumer_kind: string;
  @ApiProperty() consumer_id: string;
  @ApiProperty({ type: [String], nullable: true }) fields: string[] | null;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } }) maps_to: Record<string, string>;
  @ApiProperty({ type: [String], description: 'Protected fields that this binding may read' }) approved: string[];
  @ApiProperty({ type: [String], description: 'Protected fields that it requests; they cannot be read until approved' })
  awaiting_approval: string[];
  @ApiProperty() created_by: string;
  @ApiProperty({ format: 'date-time' }) created_at: string;
}

export class BindingList {
  @ApiProperty({ type: [BindingView] }) data: BindingView[];
}
