import { columnsOf, type ProjectScope } from '#libs/contracts';
import { containing } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource, ILike, In, LessThan, QueryFailedError } from 'typeorm';
import { readContent, writeContent } from './skill-content.repository.js';
import { type SkillContent, SkillVersion } from '../entities/skill-version.entity.js';
import { Skill } from '../entities/skill.entity.js';

export interface FullSkill {
  skill: Skill;
  content: SkillContent;
}

/** Another Skill of the project has the slug. */
export class SkillSlugTaken extends Error {}

@Injectable()
export class SkillRepository {
  constructor(private readonly source: DataSource) {}

  /** @throws SkillSlugTaken */
  async create(skill: Skill, content: SkillContent, by: string): Promise<FullSkill> {
    try {
      return await this.source.transaction(async (manager) => {
        await manager.insert(Skill, skill);
        return { skill: await writeContent(manager, skill, content, by), content };
      });
    } catch (error) {
      if (error instanceof QueryFailedError && error.message.includes('skill_slug')) throw new SkillSlugTaken();
      throw error;
    }
  }

  /** `change` gets the current content, under lock. @returns null when there is no such Skill */
  async change(
    scope: ProjectScope,
    id: string,
    by: string,
    change: (content: SkillContent) => SkillContent,
  ): Promise<FullSkill | null> {
    return this.source.transaction(async (manager) => {
      const skill = await manager.findOne(Skill, {
        where: { ...columnsOf(scope), id },
        lock: { mode: 'pessimistic_write' },
      });
      if (!skill) return null;
      const content = change(await readContent(manager, skill));
      return { skill: await writeContent(manager, skill, content, by), content };
    });
  }

  async find(scope: ProjectScope, id: string): Promise<FullSkill | null> {
    const skill = await this.source.manager.findOneBy(Skill, { ...columnsOf(scope), id });
    return skill && { skill, content: await readContent(this.source.manager, skill) };
  }

  async findAll(scope: ProjectScope, ids: string[]): Promise<FullSkill[]> {
    const skills = await this.source.manager.findBy(Skill, { ...columnsOf(scope), id: In(ids) });
    return Promise.all(
      skills.map(async (skill) => ({ skill, content: await readContent(this.source.manager, skill) })),
    );
  }

  async findBySlug(scope: ProjectScope, slug: string): Promise<Skill | null> {
    return this.source.manager.findOneBy(Skill, { ...columnsOf(scope), slug });
  }

  /** Newest first. */
  async list(scope: ProjectScope, limit: number, cursor?: string, search?: string): Promise<FullSkill[]> {
    const skills = await this.source.manager.find(Skill, {
      where: {
        ...columnsOf(scope),
        ...(cursor ? { id: LessThan(cursor) } : {}),
        ...(search ? { name: ILike(containing(search)) } : {}),
      },
      order: { id: 'DESC' },
      take: limit,
    });
    return Promise.all(
      skills.map(async (skill) => ({ skill, content: await readContent(this.source.manager, skill) })),
    );
  }

  versions(skillId: string): Promise<SkillVersion[]> {
    return this.source.manager.find(SkillVersion, {
      where: { skill_id: skillId },
      order: { version: 'DESC' },
      take: 100,
    });
  }

  version(skillId: string, version: number): Promise<SkillVersion | null> {
    return this.source.manager.findOneBy(SkillVersion, { skill_id: skillId, version });
  }

  /** Hands a Skill of a manifest to people, once no manifest declares it any more. */
  async giveToPeople(scope: ProjectScope, id: string): Promise<void> {
    await this.source.manager.update(Skill, { ...columnsOf(scope), id }, { origin: 'person' });
  }

  async delete(scope: ProjectScope, id: string): Promise<void> {
    await this.source.manager.delete(Skill, { ...columnsOf(scope), id });
  }
}
