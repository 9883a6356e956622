import { type ContentTrust, contentTrusts } from '#libs/contracts';
import { idOf, JsonObject, Name, Nested, OneOf, OpenSchema, SearchQuery, Text, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { slugPattern } from '../names/model-name.js';
import type { RecommendedTrust } from './recommended-trust.js';
import {
  type AuthMode,
  authModes,
  healths,
  policies,
  type Policy,
  type SessionChoice,
  sessionChoices,
} from '../entities/mcp-server.entity.js';

const policyNote =
  'New or changed tools: block (default): they wait for approval; warn: they are accepted and reported in ' +
  'health; auto: they are accepted';

/** As in `ContentTrust`, for people who choose. */
export const trustNote =
  'How far results are trusted. With `untrusted` ones (default) in a conversation, an agent by itself only goes on ' +
  'reading; with those of a `partner` it also writes; those of your `own` limit nothing. More than `untrusted` needs ' +
  'approvals:manage';

export const sessionsNote =
  'Whose the session is at a server that keeps something between calls (an open page, a login, a cart). ' +
  '`conversation` (default): each conversation has one, and sees nothing of others. `shared`: all have the same one: ' +
  'what one contact does there, others can read and change. Only for servers that hold nothing personal, or that ' +
  'allow one session';

export class ServerAuth {
  @OneOf(authModes, { description: 'oauth: an oauth2 credential of the vault, connected there' }) mode: AuthMode;
  @Text(100, { optional: true, nullable: true, description: 'Only for the mode header: its name. Default: X-Api-Key' })
  header?: string | null;
  @Text(100, {
    optional: true,
    nullable: true,
    description: 'The credential of the vault; required by every mode except none',
  })
  credential_id?: string | null;
}

export class RegisterServer {
  @Text(2_048, { minLength: 8, description: 'http or https; streamable HTTP, or SSE' }) url: string;
  @Name(200, { optional: true, description: 'Default: the host of the URL' }) name?: string;
  @Matches(slugPattern, { message: 'lower-case letters, digits and dashes, at most 40' })
  @Text(40, { optional: true, description: 'First part of its tools’ names for models. Default: made from the name' })
  slug?: string;
  @Nested(ServerAuth, { optional: true }) auth?: ServerAuth;
  @OneOf(policies, { optional: true, description: policyNote }) policy?: Policy;
  @OneOf(contentTrusts, { optional: true, description: trustNote }) trust?: ContentTrust;
  @OneOf(sessionChoices, { optional: true, description: sessionsNote }) sessions?: SessionChoice;
}

export class ChangeServer {
  @Name(200, { optional: true }) name?: string;
  @Nested(ServerAuth, { optional: true }) auth?: ServerAuth;
  @OneOf(policies, { optional: true, description: policyNote }) policy?: Policy;
  @OneOf(contentTrusts, { optional: true, description: trustNote }) trust?: ContentTrust;
  @OneOf(sessionChoices, { optional: true, description: sessionsNote }) sessions?: SessionChoice;
}

export class ImportServer {
  @JsonObject({ description: 'A server.json of the MCP registry; its first usable remote is registered' })
  server: Record<string, unknown>;
  @Nested(ServerAuth, { optional: true }) auth?: ServerAuth;
  @OneOf(policies, { optional: true, description: policyNote }) policy?: Policy;
  @OneOf(contentTrusts, { optional: true, description: trustNote }) trust?: ContentTrust;
  @OneOf(sessionChoices, { optional: true, description: sessionsNote }) sessions?: SessionChoice;
}

export class ServerQuery extends SearchQuery {
  @OneOf(healths, { optional: true }) health?: (typeof healths)[number];
}

export class UnregisterQuery {
  @OneOf(['true', 'false'], { optional: true, description: 'true: even if agents use its Skill' }) force?: string;
}

/** What the server says about itself. */
@OpenSchema()
class ServerInfoView {
  @ApiProperty() name: string;
  @ApiProperty() version: string;
}

class RecommendedTrustView implements RecommendedTrust {
  @ApiProperty({ enum: contentTrusts }) trust: ContentTrust;
  @ApiProperty({ description: 'As a sentence' }) why: string;
}

class ServerAuthView {
  @ApiProperty({ enum: authModes }) mode: AuthMode;
  @ApiProperty({ type: String, nullable: true }) header: string | null;
  @ApiProperty({ type: String, nullable: true }) credential_id: string | null;
}

/** A server as the API shows it. */
export class ServerView {
  @ApiProperty(idOf('mcp')) id: string;
  @ApiProperty() slug: string;
  @ApiProperty() name: string;
  @ApiProperty() url: string;
  @ApiProperty({ type: String, nullable: true }) transport: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The revision of MCP that was negotiated at its last listing',
  })
  protocol_version: string | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Milliseconds that its last listing holds, as the server says; null: it does not say',
  })
  list_ttl_ms: number | null;
  @ApiProperty({ ...time, description: 'When its tools are listed again, if nothing says earlier that they changed' })
  next_listing_at: string;
  @ApiProperty({ type: ServerInfoView, nullable: true }) server_info: ServerInfoView | null;
  @ApiProperty({ type: ServerAuthView }) auth: ServerAuthView;
  @ApiProperty({ enum: policies }) policy: string;
  @ApiProperty({ enum: contentTrusts, description: trustNote }) trust: ContentTrust;
  @ApiProperty({ enum: sessionChoices, description: sessionsNote }) sessions: SessionChoice;
  @ApiProperty({ type: RecommendedTrustView, description: 'By where it runs and what its tools claim' })
  recommended_trust: RecommendedTrust;
  @ApiProperty({ enum: healths }) health: string;
  @ApiProperty({ type: String, nullable: true }) health_reason: string | null;
  @ApiProperty({ type: String, nullable: true, format: 'date-time' }) checked_at: string | null;
  @ApiProperty({ ...idOf('skl'), nullable: true, description: 'The Skill that bundles its tools' }) skill_id:
    string | null;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Number of tools by state',
  })
  tools: Record<string, number>;
  @ApiProperty({ format: 'date-time' }) created_at: string;
}

export class ServerPage {
  @ApiProperty({ type: [ServerView] }) data: ServerView[];
  @ApiProperty({ type: String, nullable: true }) next_cursor: string | null;
}
