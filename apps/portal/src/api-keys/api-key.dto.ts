import { idOf, Name } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsIn, IsISO8601, IsOptional } from 'class-validator';
import type { Scope } from '#libs/service-kit';
import { grantableScopes } from './grants.js';

export class CreateApiKey {
  @Name(200) name: string;

  @ApiProperty({ enum: grantableScopes, isArray: true, description: 'Only scopes that the calling key has itself' })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(grantableScopes.length)
  @ArrayUnique()
  @IsIn([...grantableScopes], { each: true })
  scopes: Scope[];

  @ApiProperty({
    required: false,
    format: 'date-time',
    description: 'Default: as the calling key. Must not be later than that of the calling key',
  })
  @IsOptional()
  @IsISO8601({ strict: true, strictSeparator: true })
  expires_at?: string;
}

export class ApiKeyView {
  @ApiProperty(idOf('key')) id: string;
  @ApiProperty() name: string;
  @ApiProperty({ description: 'The last 4 characters of the key' }) last4: string;
  @ApiProperty({ type: [String] }) scopes: string[];
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The key that created it; revoking that key revokes this one',
  })
  made_by_key_id: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The member who created it or the key that created it. It may do no more than the member, and nothing once the member left',
  })
  made_by_user_id: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) expires_at: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) revoked_at: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) last_used_at: string | null;
  @ApiProperty({ format: 'date-time' }) created_at: string;
}

export class CreatedApiKey extends ApiKeyView {
  @ApiProperty({ description: 'The key itself, shown only once' }) key: string;
}

export class ApiKeyPage {
  @ApiProperty({ type: [ApiKeyView] }) data: ApiKeyView[];
  @ApiProperty({ type: String, nullable: true }) next_cursor: string | null;
}
