import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Delete, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ManifestSkillService } from './manifest-skill.service.js';
import { AppCredentialsOfSkill, SkillFromApp } from './skill.dto.js';

/** For the gateway: manages the Skill that an adapter's manifest declares. */
@ApiExcludeController()
@Controller('internal/skills/manifest')
@RequireScopes('service')
export class ManifestSkillController {
  constructor(private readonly manifests: ManifestSkillService) {}

  /** The manifest took effect. @returns the named tools that do not exist @throws Problem as `put` */
  @Post()
  @HttpCode(200)
  async put(
    @Caller() caller: Principal,
    @Body() { manifest, ...app }: SkillFromApp,
  ): Promise<{ skill_id: string; left_out: string[] }> {
    const { skill, leftOut } = await this.manifests.putOfApp(caller, manifest, app);
    return { skill_id: skill.id, left_out: leftOut };
  }

  /** The App's credentials changed. @throws Problem 404 when a person has deleted the Skill */
  @Put(':slug/credentials')
  async link(
    @Caller() caller: Principal,
    @Param('slug') slug: string,
    @Body() app: AppCredentialsOfSkill,
  ): Promise<{ skill_id: string }> {
    return { skill_id: (await this.manifests.link(caller, slug, app)).id };
  }

  /** No adapter declares the Skill any more. */
  @Delete(':slug')
  remove(@Caller() caller: Principal, @Param('slug') slug: string): Promise<{ outcome: 'removed' | 'kept' | 'none' }> {
    return this.manifests.remove(caller, slug);
  }
}
