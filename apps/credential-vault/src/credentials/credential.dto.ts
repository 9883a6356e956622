import { JsonObject, OneOf, Text, TextList } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, ValidateNested } from 'class-validator';

export class CreateCredential {
  @Text(200, { minLength: 1, description: 'Unique in the project' }) name: string;
  @OneOf(['api_key', 'text', 'oauth2']) type: 'api_key' | 'text' | 'oauth2';
  @JsonObject({
    description: 'api_key: {token}; text: 1 to 50 fields of your own. Values are strings of up to 64 KiB.',
  })
  fields: Record<string, unknown>;
}

export class UpdateCredential {
  @Text(200, { minLength: 1, optional: true }) name?: string;
  @JsonObject({ optional: true, description: 'Merged over the fields there are; a field set to null is removed.' })
  fields?: Record<string, unknown>;
}

export class RotateCredential {
  @JsonObject({ description: 'All the fields there are from now on.' }) fields: Record<string, unknown>;
}

/** What the management API shows of a credential: never a value. */
export class CredentialView {
  @ApiProperty() id: string;
  @ApiProperty() name: string;
  @ApiProperty({ enum: ['api_key', 'text'] }) type: string;
  @ApiProperty({ type: [String], description: 'Names of the fields; values are never shown' }) fields: string[];
  @ApiProperty({ type: 'integer' }) generation: number;
  @ApiProperty({ enum: ['active', 'undecryptable'] }) status: string;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ format: 'date-time' }) updated_at: string;
}

export class CredentialPage {
  @ApiProperty({ type: [CredentialView] }) data: CredentialView[];
  @ApiProperty({ type: String, nullable: true }) next_cursor: string | null;
}

export class ResolveCredential {
  @Text(100, { minLength: 1 }) credential_id: string;
  @TextList(50, 64, { optional: true, description: 'Only these; all when absent' }) fields?: string[];
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
