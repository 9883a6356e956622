import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ManifestSkills } from './manifest-skills.service.js';
import { SkillFromManifest } from './skill.dto.js';

/** For the gateway: an adapter's manifest that declares a Skill came into force. */
@ApiExcludeController()
@Controller('internal/skills')
@RequireScopes('service')
export class ManifestSkillsController {
  constructor(@Inject(ManifestSkills) private readonly manifests: ManifestSkills) {}

  /** @throws Problem as `ManifestSkills.put` */
  @Post('manifest')
  @HttpCode(200)
  async put(@Caller() caller: Principal, @Body() { manifest }: SkillFromManifest): Promise<{ skill_id: string }> {
    return { skill_id: (await this.manifests.put(caller, manifest)).id };
  }
}
