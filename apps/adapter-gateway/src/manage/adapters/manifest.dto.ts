import {
  type Capability,
  type CredentialDeclaration,
  type CredentialType,
  FEATURES,
  type Manifest,
} from '#libs/adapter-sdk';
import { anyObject, OpenSchema } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';

@OpenSchema()
export class CredentialDeclarationView implements CredentialDeclaration {
  @ApiProperty() key: string;
  @ApiProperty({ enum: ['api_key', 'text', 'oauth2'] }) type: CredentialType;
  @ApiProperty() label: string;
  @ApiProperty({ description: 'Name of the field under which the adapter gets it' }) maps_to: string;
  @ApiProperty({ type: [String], required: false, description: "Hosts to which the Skill's tools may send it" })
  hosts?: string[];
  @ApiProperty({ required: false, description: 'Absent: true' }) required?: boolean;
  @ApiProperty({ required: false }) description?: string;
}

@OpenSchema()
export class ManifestSkillView {
  @ApiProperty() name: string;
  @ApiProperty() knowledge: string;
  @ApiProperty({ type: [String], required: false }) tool_names?: string[];
}

@OpenSchema()
export class ManifestAuthorView {
  @ApiProperty() name: string;
  @ApiProperty() url: string;
}

@OpenSchema()
class ManifestEventView {
  @ApiProperty() type: string;
  @ApiProperty({ required: false }) description?: string;
}

/** A manifest as it was fetched, with fields that only its adapter knows. */
@OpenSchema()
export class ManifestView implements Manifest {
  @ApiProperty() schema_version: string;
  @ApiProperty() slug: string;
  @ApiProperty() name: string;
  @ApiProperty() description: string;
  @ApiProperty({ required: false }) icon?: string;
  @ApiProperty() category: string;
  @ApiProperty({ enum: ['send', 'receive'], isArray: true }) capabilities: Capability[];
  @ApiProperty({ type: [CredentialDeclarationView] }) credentials: CredentialDeclarationView[];
  @ApiProperty({ type: ManifestSkillView, required: false }) skill?: ManifestSkillView;
  @ApiProperty({ type: [String], required: false }) setup_instructions?: string[];
  @ApiProperty({ type: ManifestAuthorView, required: false }) author?: ManifestAuthorView;
  @ApiProperty({ ...anyObject, selfRequired: false }) oauth_config?: Manifest['oauth_config'];
  @ApiProperty({ required: false, description: 'Version of the adapter contract' }) contract?: string;
  @ApiProperty({ ...anyObject, selfRequired: false, description: 'How its webhook is verified and answered' })
  webhook?: Manifest['webhook'];
  @ApiProperty({ ...anyObject, selfRequired: false, description: 'What its messages may have' })
  message?: Manifest['message'];
  @ApiProperty({ enum: FEATURES, isArray: true, required: false }) features?: Manifest['features'];
  @ApiProperty({ type: [ManifestEventView], required: false }) events?: ManifestEventView[];
  @ApiProperty({ ...anyObject, selfRequired: false }) sources?: Manifest['sources'];
}
