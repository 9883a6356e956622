import { type ContentTrust, contentTrusts } from '#libs/contracts';
import { LeftOutToolView } from '#libs/views';
import { anyObject, Flag, idOf, JsonObject, Name, NestedList, OneOf, Text, TextList } from '#libs/service-kit';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayUnique, Matches } from 'class-validator';
import { EffectView } from '../tools/agent-effect.dto.js';
import { slugPattern } from '../names/model-name.js';
import type { SkillWarning } from './skill-warnings.js';

const knowledgeLength = 100_000;
const hostPattern = /^(\*\.)?([a-z0-9_-]+\.)*[a-z0-9_-]+(:\d{1,5})?$|^\[[0-9a-f:.]+\](:\d{1,5})?$/i;

export class SkillToolGiven {
  @Text(100, { minLength: 1, description: 'A tool id, or `builtin:<name>`' }) tool: string;
  @Flag({ optional: true, description: 'False: it stays in the Skill, but no model gets it' }) enabled?: boolean;
}

export class SkillCredentialGiven {
  @Text(100, { minLength: 1 }) credential_id: string;
  @Matches(/^[A-Za-z][\w-]{0,63}$/, { message: 'a letter, then letters, digits, - and _, at most 64' })
  @Text(64, { description: "The name by which the Skill's tools know it" })
  as: string;
  @ArrayUnique({ message: 'must not contain duplicates' })
  @Matches(hostPattern, {
    each: true,
    message: 'a host, with its port if any: api.example.com, *.example.com, host:8443',
  })
  @TextList(20, 260, {
    optional: true,
    description:
      'Hosts to which the platform may send it (http_request, web_search, send_email). Default: only those that its own record allows',
  })
  hosts?: string[];
  @Matches(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, { message: 'the name of a header' })
  @Text(100, { optional: true, minLength: 1, description: 'The header that carries it. Default: Authorization' })
  header?: string;
  @Matches(/^[A-Za-z0-9!#$%&'*+.^_`|~-]*$/, { message: 'one word, or empty' })
  @Text(40, {
    optional: true,
    description: 'Prefix in the header: Bearer, Basic, token; empty: none',
  })
  scheme?: string;
  @OneOf(contentTrusts, {
    optional: true,
    description:
      'How far answers of these hosts to http_request are trusted (docs/security.md). Default: untrusted; more, or more hosts with it, needs approvals:manage',
  })
  trust?: ContentTrust;
}

/** An optional property: a list of objects of one class, with unique keys. */
const ListOf = <T extends object>(type: new () => T, max: number, key: (one: T) => string): PropertyDecorator =>
  applyDecorators(
    NestedList(type, max, { optional: true }),
    ArrayUnique((one: unknown) => (one instanceof type ? key(one) : one), { message: 'must not contain duplicates' }),
  );

/**
 * The fields that are optional in both. `name` is not one of them: a subclass cannot make an inherited optional
 * property required.
 */
class SkillFields {
  @Text(1_024, { optional: true }) description?: string;
  @Text(knowledgeLength, { optional: true, description: "Added to the agent's context" }) knowledge?: string;
  @ListOf(SkillToolGiven, 500, (one) => one.tool) tools?: SkillToolGiven[];
  @ListOf(SkillCredentialGiven, 50, (one) => one.as) credentials?: SkillCredentialGiven[];
}

export class ChangeSkill extends SkillFields {
  @Name(200, { optional: true }) name?: string;
}

export class CreateSkill extends SkillFields {
  @Name(200) name: string;
  @Matches(slugPattern, { message: 'lower-case letters, digits and dashes, at most 40' })
  @Text(40, { optional: true, description: 'First part of its tools’ names for models. Default: made from the name' })
  slug?: string;
}

export class SkillFile {
  @Text(300, { minLength: 1, description: 'Path within the folder: SKILL.md, tools/add.py' }) path: string;
  @Text(262_144) content: string;
}

export class ImportSkill {
  @ListOf(SkillFile, 100, (one) => one.path) files?: SkillFile[];
}

export class SkillFromManifest {
  @JsonObject({ description: 'A manifest with `slug` and `skill` (spec 2.1)' }) manifest: Record<string, unknown>;
}

export class DeleteSkillQuery {
  @OneOf(['true', 'false'], { optional: true, description: 'true: even if agents have it' }) force?: string;
}

export class SkillWarningView implements SkillWarning {
  @ApiProperty({ enum: ['credential_without_host'] }) code: 'credential_without_host';
  @ApiProperty({ description: 'The name by which the Skill knows it' }) credential: string;
  @ApiProperty({ description: 'What does not work, and what to do, for people' }) message: string;
}

export class SkillView {
  @ApiProperty(idOf('skl')) id: string;
  @ApiProperty() slug: string;
  @ApiProperty() name: string;
  @ApiProperty() description: string;
  @ApiProperty() knowledge: string;
  @ApiProperty({ enum: ['person', 'mcp_server', 'manifest'] }) origin: string;
  @ApiProperty({ ...idOf('mcp'), nullable: true }) server_id: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: "For a Skill of an adapter's manifest: the `provider` of its App",
  })
  provider: string | null;
  @ApiProperty({ type: 'integer' }) version: number;
  @ApiProperty({ type: [SkillToolGiven] }) tools: SkillToolGiven[];
  @ApiProperty({ type: [SkillCredentialGiven] }) credentials: SkillCredentialGiven[];
  @ApiProperty({ type: [SkillWarningView], description: 'What it cannot do as it is set up' })
  warnings: SkillWarning[];
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ format: 'date-time' }) updated_at: string;
}

export class SkillDetail extends SkillView {
  @ApiProperty({ type: [LeftOutToolView], description: 'Tools that no model gets' })
  left_out: LeftOutToolView[];
  @ApiProperty({ type: EffectView, description: 'The agents that have it, and what their models get now' })
  effect: EffectView;
}

export class SkillPage {
  @ApiProperty({ type: [SkillView] }) data: SkillView[];
  @ApiProperty({ type: String, nullable: true }) next_cursor: string | null;
}

export class SkillVersionView {
  @ApiProperty({ type: 'integer' }) version: number;
  @ApiProperty({ ...anyObject, description: 'The Skill in that version' }) content: object;
  @ApiProperty() created_by: string;
  @ApiProperty({ format: 'date-time' }) created_at: string;
}

export class SkillVersionList {
  @ApiProperty({ type: [SkillVersionView] }) data: SkillVersionView[];
}

export class SkillFolder {
  @ApiProperty({ type: [SkillFile] }) files: SkillFile[];
}

export class ImportedSkill {
  @ApiProperty({ type: SkillView }) skill: SkillView;
  @ApiProperty({ type: [String], description: 'Files that Gatehouse does not keep' }) ignored: string[];
  @ApiProperty({ type: [String], description: 'What it still needs: credentials, tools of MCP servers' })
  missing: string[];
}

/** Credentials of the App whose adapter's manifest declares the Skill. */
export class AppCredentialsOfSkill {
  @ListOf(SkillCredentialGiven, 50, (one) => one.as) credentials?: SkillCredentialGiven[];
  @TextList(200, 64, {
    optional: true,
    description: 'Names that the App manages: a credential that it no longer gives is removed',
  })
  names?: string[];
}

export class SkillFromApp extends AppCredentialsOfSkill {
  @JsonObject() manifest: Record<string, unknown>;
}
