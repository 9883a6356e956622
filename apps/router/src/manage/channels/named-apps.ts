import type { Endpoint, ProjectScope } from '#libs/contracts';
import { type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { GATEWAY } from '../../env.js';

/** Apps that channels and triggers name; the gateway owns them. */
@Injectable()
export class NamedApps {
  private readonly logger = new Logger('named-apps');

  constructor(@Inject(GATEWAY) private readonly gateway: ServiceClient) {}

  /** For sentences: the name, or the id where the gateway does not answer or the App is gone. */
  async nameOf(caller: ProjectScope, appId: string): Promise<string> {
    return (await this.describe(caller, appId)).name;
  }

  /** As `nameOf`, with its kind; null: not known now. */
  async describe(caller: ProjectScope, appId: string): Promise<{ name: string; kind: Endpoint['kind'] | null }> {
    try {
      const path = `/internal/apps/${encodeURIComponent(appId)}`;
      const { name = appId, kind = null } = await this.gateway.get<Partial<Endpoint> & { name?: string }>(path, caller);
      return { name, kind };
    } catch (error) {
      this.logger.warn({ event: 'app.unnamed', app: appId, error: String(error) });
      return { name: appId, kind: null };
    }
  }

  /**
   * Refuses an id that is no App of the project. When the gateway does not answer, rules may still be changed: an App
   * of another project starts nothing here.
   * @throws Problem 422 `app_not_found`
   */
  async require(caller: Principal, appId: string): Promise<void> {
    try {
      await this.gateway.get(`/internal/apps/${encodeURIComponent(appId)}`, caller);
    } catch (error) {
      if (error instanceof Problem && error.code === 'app_not_found') {
        const message = `There is no app ${appId} in this project.`;
        throw new Problem(422, 'app_not_found', message, [{ field: 'app_id', message }]);
      }
      this.logger.warn({ event: 'app.unchecked', app: appId, error: String(error) });
    }
  }
}
