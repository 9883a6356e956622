import type { CredentialBinding } from '#libs/contracts';
import { type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { SkillRepository } from '../skills/skill.repository.js';

/** The Skill with whose credentials a tool is tried. */
@Injectable()
export class TriedSkill {
  constructor(private readonly skills: SkillRepository) {}

  /** @throws Problem 422 when the project has no such Skill, or the Skill does not have the tool */
  async credentialsOf(caller: Principal, skillId: string, toolId: string): Promise<CredentialBinding[]> {
    const skill = await this.skills.find(caller, skillId);
    if (!skill?.content.tools.some(({ tool }) => tool === toolId)) {
      const message = 'is not a Skill that has this tool';
      throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', [{ field: 'skill_id', message }]);
    }
    return skill.content.credentials.map((one) => ({ ...one, skill_id: skillId }));
  }
}
