import type { ProjectScope } from '#libs/contracts';
import { ChangeCache, ChangeListener } from '#libs/database';
import { Inject, Injectable } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import type { Provider } from '../../entities/provider.entity.js';
import { ProviderRepository } from './provider.repository.js';

const maxKept = 5_000;

/** Caches a project's providers until one of them changes, on whichever replica. */
@Injectable()
export class ProviderDirectory {
  private readonly cache: ChangeCache<Provider[]>;

  constructor(
    private readonly providers: ProviderRepository,
    changes: ChangeListener,
    @Inject(SETTINGS) { CHANGE_CACHE_MS: keptMs, AGENT_CACHE_MS: unheardMs }: EngineSettings,
  ) {
    this.cache = new ChangeCache(changes, { topic: 'providers', maxKept, keptMs, unheardMs });
  }

  of(owner: ProjectScope): Promise<Provider[]> {
    return this.cache.get(owner.projectId, () => this.providers.all(owner), owner.organizationId);
  }

  forget(projectId: string): void {
    this.cache.forget(projectId);
  }
}
