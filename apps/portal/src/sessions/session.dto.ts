import { idOf, PageOf, PageQuery, Text } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { grantableScopes } from '../api-keys/grants.js';
import { type RoleName, roleNames } from '../members/roles.js';

class SessionMember {
  @ApiProperty(idOf('usr')) id: string;
  @ApiProperty() name: string;
  @ApiProperty({ type: String, nullable: true }) email: string | null;
  @ApiProperty({ enum: roleNames }) role: RoleName;
}

class SessionOrganization {
  @ApiProperty(idOf('org')) id: string;
  @ApiProperty() name: string;
}

class ReachedOrganization extends SessionOrganization {
  @ApiProperty({ enum: roleNames }) role: RoleName;
}

class ReachedProject {
  @ApiProperty(idOf('prj')) id: string;
  @ApiProperty() name: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) closed_at: string | null;
}

export class SignedInView {
  @ApiProperty() member: SessionMember;
  @ApiProperty({ description: 'Of X-Organization-Id or X-Project-Id; else the first that they were a member of' })
  organization: SessionOrganization;
  @ApiProperty({ type: [ReachedOrganization], description: 'All that this session reaches' })
  organizations: ReachedOrganization[];
  @ApiProperty({ type: [ReachedProject], description: 'Of the organization, the oldest first' })
  projects: ReachedProject[];
  @ApiProperty({ enum: grantableScopes, isArray: true, description: 'What the member may do there, one by one' })
  scopes: string[];
  @ApiProperty({ description: 'X-CSRF-Token of every request that changes something' }) csrf_token: string;
  @ApiProperty({ format: 'date-time', description: 'Whatever it is used for until then' }) expires_at: string;
}

export class MemberSessionQuery extends PageQuery {
  @Text(100, { optional: true, description: 'Whose; absent: the caller’s own. Others’ need members:manage' })
  member_id?: string;
}

export class MemberSessionView {
  @ApiProperty(idOf('mse')) id: string;
  @ApiProperty(idOf('usr')) member_id: string;
  @ApiProperty({ enum: ['link', 'oidc'], description: 'How they signed in' }) method: 'link' | 'oidc';
  @ApiProperty({ type: String, nullable: true }) user_agent: string | null;
  @ApiProperty() address: string;
  @ApiProperty({ description: 'Whether the request came with it' }) current: boolean;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ format: 'date-time', description: 'Noted once a minute' }) last_used_at: string;
  @ApiProperty({ format: 'date-time' }) expires_at: string;
}

export class MemberSessionPage extends PageOf(MemberSessionView) {}
