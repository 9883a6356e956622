import {
  Caller,
  Edits,
  type Principal,
  RequireScopes,
  RowNumberPipe,
  SearchQuery,
  ShowsEntityTag,
  TagsWithout,
} from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { EffectService } from '../tools/effect.service.js';
import { ManifestSkillService } from './manifest-skill.service.js';
import { SkillFolderService } from './skill-folder.service.js';
import {
  ChangeSkill,
  CreateSkill,
  DeleteSkillQuery,
  ImportedSkill,
  ImportSkill,
  SkillFolder,
  SkillFromManifest,
  SkillPage,
  SkillVersionList,
  SkillDetail,
} from './skill.dto.js';
import { SkillService } from './skill.service.js';

/** Computed fields of the answers. They change without an edit of the Skill. */
const derived = ['left_out', 'effect'];

@ApiTags('skills')
@Controller('api/v1/skills')
export class SkillController {
  constructor(
    private readonly skills: SkillService,
    private readonly folders: SkillFolderService,
    private readonly manifests: ManifestSkillService,
    private readonly effects: EffectService,
  ) {}

  @Post()
  @RequireScopes('tools:write')
  @ApiOperation({ operationId: 'createSkill', summary: 'Create a Skill; PATCH /agents/:id gives it to an agent' })
  @ApiCreatedResponse({ type: SkillDetail })
  async create(@Caller() caller: Principal, @Body() body: CreateSkill): Promise<SkillDetail> {
    return this.effects.ofSkill(caller, await this.skills.create(caller, body));
  }

  @Post('import')
  @RequireScopes('tools:write')
  @ApiOperation({ operationId: 'importSkill', summary: 'Create a Skill from a SKILL.md folder' })
  @ApiCreatedResponse({ type: ImportedSkill })
  import(@Caller() caller: Principal, @Body() { files = [] }: ImportSkill): Promise<ImportedSkill> {
    return this.folders.import(caller, files);
  }

  @Post('manifest')
  @HttpCode(200)
  @RequireScopes('tools:write')
  @ApiOperation({ operationId: 'putManifestSkill', summary: 'Create or change the Skill that a manifest declares' })
  @ApiOkResponse({ type: SkillDetail })
  async fromManifest(@Caller() caller: Principal, @Body() { manifest }: SkillFromManifest): Promise<SkillDetail> {
    return this.effects.ofSkill(caller, await this.manifests.put(caller, manifest));
  }

  @Get()
  @RequireScopes('tools:read')
  @ApiOperation({ operationId: 'listSkills', summary: 'Skills, newest first' })
  @ApiOkResponse({ type: SkillPage })
  list(@Caller() caller: Principal, @Query() query: SearchQuery): Promise<SkillPage> {
    return this.skills.list(caller, query);
  }

  @Get(':id')
  @ShowsEntityTag()
  @TagsWithout(...derived)
  @RequireScopes('tools:read')
  @ApiOperation({ operationId: 'getSkill', summary: 'One Skill, with its tools that no model gets' })
  @ApiOkResponse({ type: SkillDetail })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<SkillDetail> {
    return this.effects.ofSkill(caller, await this.skills.view(caller, id));
  }

  @Patch(':id')
  @TagsWithout(...derived)
  @Edits<SkillController>((controller, caller, id) => controller.skills.view(caller, id))
  @RequireScopes('tools:write')
  @ApiOperation({
    operationId: 'changeSkill',
    summary: 'Change a Skill; a list in the request replaces the previous one',
  })
  @ApiOkResponse({ type: SkillDetail })
  async change(@Caller() caller: Principal, @Param('id') id: string, @Body() body: ChangeSkill): Promise<SkillDetail> {
    return this.effects.ofSkill(caller, await this.skills.change(caller, id, body));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('tools:write')
  @ApiOperation({ operationId: 'deleteSkill', summary: 'Delete a Skill; refused while agents have it' })
  @ApiNoContentResponse()
  delete(@Caller() caller: Principal, @Param('id') id: string, @Query() { force }: DeleteSkillQuery): Promise<void> {
    return this.skills.delete(caller, id, force === 'true');
  }

  @Get(':id/versions')
  @RequireScopes('tools:read')
  @ApiOperation({ operationId: 'listSkillVersions', summary: 'Versions of a Skill, newest first' })
  @ApiOkResponse({ type: SkillVersionList })
  versions(@Caller() caller: Principal, @Param('id') id: string): Promise<SkillVersionList> {
    return this.skills.versions(caller, id);
  }

  @Post(':id/versions/:version/restore')
  @HttpCode(200)
  @RequireScopes('tools:write')
  @ApiOperation({ operationId: 'restoreSkill', summary: 'Roll back to an earlier version' })
  @ApiOkResponse({ type: SkillDetail })
  async restore(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('version', new RowNumberPipe('skill_version')) version: number,
  ): Promise<SkillDetail> {
    return this.effects.ofSkill(caller, await this.skills.restore(caller, id, version));
  }

  @Get(':id/export')
  @RequireScopes('tools:read')
  @ApiOperation({ operationId: 'exportSkill', summary: 'A Skill as the files of a SKILL.md folder' })
  @ApiOkResponse({ type: SkillFolder })
  export(@Caller() caller: Principal, @Param('id') id: string): Promise<SkillFolder> {
    return this.folders.export(caller, id);
  }
}
