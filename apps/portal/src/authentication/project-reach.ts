import { Inject, Injectable } from '@nestjs/common';
import type { Project } from '../projects/project.entity.js';
import { ProjectRepository } from '../projects/project.repository.js';
import { type CallerCacheSettings, SETTINGS } from '../settings.js';
import { BriefCache } from './brief-cache.js';

const maxCached = 10_000;

/** The projects that requests name, each cached briefly. */
@Injectable()
export class ProjectReach {
  private readonly byId: BriefCache<Project | null>;
  private readonly firsts: BriefCache<Project | null>;

  constructor(
    private readonly projects: ProjectRepository,
    @Inject(SETTINGS) { KEY_CACHE_MS: cacheMs }: CallerCacheSettings,
  ) {
    this.byId = new BriefCache(cacheMs, maxCached);
    this.firsts = new BriefCache(cacheMs, maxCached);
  }

  find(organizationId: string, id: string): Promise<Project | null> {
    return this.byId.get(`${organizationId} ${id}`, () => this.projects.find(organizationId, id));
  }

  /** The project of a member who names none: the oldest open one. */
  first(organizationId: string): Promise<Project | null> {
    return this.firsts.get(organizationId, () => this.projects.oldestOpen(organizationId));
  }
}
