import { MayBeAbsent, Text, TextList, Whole } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, ValidateNested } from 'class-validator';
import { Consumer } from '../bindings/binding.dto.js';
import {
  type CredentialStatus,
  credentialStatuses,
  type CredentialType,
  credentialTypes,
} from '../credential-store/credential.entity.js';

export class ResolveCredential {
  @Text(100, { minLength: 1 }) credential_id: string;
  @TextList(50, 64, { optional: true, description: 'Only these fields. Default: all that may be read' })
  fields?: string[];
  @ApiProperty({ type: Consumer, required: false, description: 'Consumer whose binding decides what may be read' })
  @MayBeAbsent()
  @ValidateNested()
  @Type(() => Consumer)
  consumer?: Consumer;
  @Whole(0, 3_600, { optional: true, description: 'oauth2: the shortest remaining lifetime of the access token' })
  min_valid_seconds?: number;
  @Whole(0, 2_147_483_647, {
    optional: true,
    description:
      'oauth2: the `token_version` that the provider refused; if it still is the current one, it is replaced',
  })
  refused_version?: number;
}

export class ResolveCredentials {
  @ApiProperty({ type: [ResolveCredential] })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @ValidateNested({ each: true })
  @Type(() => ResolveCredential)
  credentials: ResolveCredential[];
}

export class DescribeCredentials {
  @TextList(500, 100) credential_ids: string[];
}

/** The fields of a credential, without values. */
export class CredentialDescription {
  @ApiProperty() credential_id: string;
  @ApiProperty({ enum: credentialTypes }) type: CredentialType;
  @ApiProperty({ enum: credentialStatuses }) status: CredentialStatus;
  @ApiProperty({ type: [String], description: 'Names of the fields that have a value; for oauth2 also the tokens' })
  fields: string[];
}

export class CredentialDescriptions {
  @ApiProperty({ type: [CredentialDescription], description: 'Those that exist in this project' })
  data: CredentialDescription[];
}
