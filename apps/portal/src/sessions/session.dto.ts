import { idOf, PageOf, PageQuery, Text } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { grantableScopes } from '../api-keys/grants.js';
import { type RoleName, roleNames } from '../api-keys/roles.js';

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
  @ApiProperty({ description: 'From X-Organization-Id or X-Project-Id. Default: the first one that they joined' })
  organization: SessionOrganization;
  @ApiProperty({ type: [ReachedOrganization], description: 'All organizations to which this session has access' })
  organizations: ReachedOrganization[];
  @ApiProperty({ type: [ReachedProject], description: 'Projects of the organization, oldest first' })
  projects: ReachedProject[];
  @ApiProperty({ enum: grantableScopes, isArray: true, description: 'Scopes of the member there' })
  scopes: string[];
  @ApiProperty({ description: 'Value of X-CSRF-Token, for every request that changes something' }) csrf_token: string;
  @ApiProperty({ format: 'date-time', description: 'The session ends then, even if it is in use' }) expires_at: string;
}

export class MemberSessionQuery extends PageQuery {
  @Text(100, {
    optional: true,
    description: 'Whose sessions. Default: the caller’s. Those of others need members:manage',
  })
  member_id?: string;
}

export class MemberSessionView {
  @ApiProperty(idOf('mse')) id: string;
  @ApiProperty(idOf('usr')) member_id: string;
  @ApiProperty({ enum: ['link', 'oidc'], description: 'How they signed in' }) method: 'link' | 'oidc';
  @ApiProperty({ type: String, nullable: true }) user_agent: string | null;
  @ApiProperty() address: string;
  @ApiProperty({ description: 'Whether this request used it' }) current: boolean;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ format: 'date-time', description: 'Updated once a minute' }) last_used_at: string;
  @ApiProperty({ format: 'date-time' }) expires_at: string;
}

export class MemberSessionPage extends PageOf(MemberSessionView) {}
