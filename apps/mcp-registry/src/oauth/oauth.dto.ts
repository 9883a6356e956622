import { type ContentTrust, contentTrusts } from '#libs/contracts';
import { idOf, Name, OneOf, Text, TextList } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { ServerView, sessionsNote, trustNote } from '../servers/mcp-server.dto.js';
import { policies, type Policy, type SessionChoice, sessionChoices } from '../entities/mcp-server.entity.js';
import { slugPattern } from '../names/model-name.js';

export class RegisterByOauth {
  @Text(2_048, { minLength: 8 }) url: string;
  @Name(200, { optional: true }) name?: string;
  @Matches(slugPattern, { message: 'lower-case letters, digits and dashes, at most 40' })
  @Text(40, { optional: true })
  slug?: string;
  @OneOf(policies, { optional: true }) policy?: Policy;
  @OneOf(contentTrusts, { optional: true, description: trustNote }) trust?: ContentTrust;
  @OneOf(sessionChoices, { optional: true, description: sessionsNote }) sessions?: SessionChoice;
  @Text(500, { optional: true, description: 'A client that was registered by hand; absent: registered dynamically' })
  client_id?: string;
  @Text(2_000, { optional: true }) client_secret?: string;
  @TextList(50, 200, { optional: true, description: 'Default: the scopes that the server asks for' }) scopes?: string[];
}

export class RegisteredByOauth {
  @ApiProperty({ type: ServerView }) server: ServerView;
  @ApiProperty(idOf('cred')) credential_id: string;
  @ApiProperty({ description: 'POST there with the same key: the answer has the URL where a person consents' })
  connect_path: string;
}
