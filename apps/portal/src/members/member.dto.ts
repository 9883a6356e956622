import { Flag, idOf, Name, OneOf, PageOf, Text } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { IsEmail } from 'class-validator';
import { grantableScopes } from '../api-keys/grants.js';
import { type RoleName, roleNames } from '../api-keys/roles.js';

export const memberStates = ['invited', 'active', 'suspended'] as const;
export type MemberState = (typeof memberStates)[number];

export class InviteMember {
  @IsEmail() @Text(254) email: string;
  /** The member's name in this organization. */
  @Name(200, { optional: true, description: 'Default: the part of the address before the @' })
  name?: string;
  @OneOf(roleNames, { description: 'Only a role whose scopes the caller has itself' }) role: RoleName;
}

export class ChangeMember {
  @Name(200, { optional: true }) name?: string;
  @OneOf(roleNames, { optional: true, description: 'Only a role whose scopes the caller has itself' }) role?: RoleName;
  @Flag({
    optional: true,
    description: 'A suspended member may do nothing, and neither may the keys that they created',
  })
  suspended?: boolean;
}

export class MemberView {
  @ApiProperty(idOf('usr')) id: string;
  @ApiProperty() name: string;
  @ApiProperty({ type: String, nullable: true, description: 'Null: signs in only by links' }) email: string | null;
  @ApiProperty({ enum: roleNames }) role: RoleName;
  @ApiProperty({ enum: memberStates, description: 'invited: has not signed in yet' }) state: MemberState;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) suspended_at: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Of the last sign-in' })
  last_seen_at: string | null;
  @ApiProperty({ format: 'date-time' }) created_at: string;
}

export class MemberPage extends PageOf(MemberView) {}

export class SignInLinkView {
  @ApiProperty({ description: 'Only for this member: signs in to this organization once. Shown only once' })
  sign_in_link: string;
  @ApiProperty({ format: 'date-time' }) sign_in_link_expires_at: string;
}

export class InvitedMember extends MemberView implements SignInLinkView {
  @ApiProperty({
    description: 'Link for a member who does not sign in by single sign-on. Works once, shown only once',
  })
  sign_in_link: string;
  @ApiProperty({ format: 'date-time' }) sign_in_link_expires_at: string;
}

export class RoleView {
  @ApiProperty({ enum: roleNames }) name: RoleName;
  @ApiProperty() description: string;
  @ApiProperty({ enum: grantableScopes, isArray: true, description: 'All scopes that it includes' })
  scopes: string[];
}
