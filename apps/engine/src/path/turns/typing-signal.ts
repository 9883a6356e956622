import type { ReplyTarget, ScopeColumns } from '#libs/contracts';
import type { ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type EngineSettings, GATEWAY, SETTINGS } from '../../settings.js';

/** Lets whoever waits for an answer see that it is being written, where the channel shows that. */
@Injectable()
export class TypingSignal {
  private readonly logger = new Logger('typing');

  constructor(
    @Inject(GATEWAY) private readonly gateway: ServiceClient,
    @Inject(SETTINGS) private readonly settings: Pick<EngineSettings, 'TURN_TYPING_EVERY_MS'>,
  ) {}

  /** Says so at once and again in time, as providers forget it after seconds. @returns ends it; never throws */
  begin(scope: ScopeColumns, reply: ReplyTarget | null): () => void {
    const { TURN_TYPING_EVERY_MS: everyMs } = this.settings;
    if (reply?.typing !== true || reply.channel_address === null || everyMs === 0) return () => undefined;
    let isAsking = false;
    const ask = async (state: 'working' | 'done'): Promise<void> => {
      if (isAsking && state === 'working') return;
      isAsking = true;
      await this.indicate(scope, reply, state);
      isAsking = false;
    };
    void ask('working');
    const timer = setInterval(() => void ask('working'), everyMs).unref();
    return () => {
      clearInterval(timer);
      void ask('done');
    };
  }

  private async indicate(scope: ScopeColumns, reply: ReplyTarget, state: 'working' | 'done'): Promise<void> {
    const { organization_id: organizationId, project_id: projectId } = scope;
    const { app_id, channel_address, thread_id } = reply;
    const asked = { app_id, channel_address, ...(thread_id === null ? {} : { thread_id }), state };
    try {
      await this.gateway.post('/internal/adapter-calls/indicate', { organizationId, projectId }, asked);
    } catch (error) {
      // Nothing depends on it: the answer comes all the same.
      this.logger.debug({ event: 'typing.not_shown', app: app_id, error: String(error) });
    }
  }
}
