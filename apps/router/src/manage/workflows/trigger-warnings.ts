import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import type { RoutePolicy, TriggerRow } from '../../entities/rules.entity.js';
import { IncompleteMessages } from '../channels/incomplete-messages.js';
import { NamedApps } from '../channels/named-apps.js';
import { ProjectRules } from '../../path/rules/project-rules.js';

/** What a trigger changes for an App, or does not do, and what to do about it. */
export interface TriggerWarning {
  code: 'messages_without_event_type' | 'triggers_not_asked';
  message: string;
}

/** What becomes of a message that triggers cannot be asked about, by the policy of its channel. */
const fate: Readonly<Record<Exclude<RoutePolicy, 'chief_of_staff'>, string>> = {
  both: 'Such a message goes to the Chief of Staff alone',
  chief_of_staff_unless_triggered: 'Such a message goes to the Chief of Staff alone',
  triggers:
    'From now on such a message is a dead letter (contract_violation), because the channel leaves all to triggers',
};

/** Says what an active trigger means for the messages of its App, as they came lately. */
@Injectable()
export class TriggerWarnings {
  constructor(
    private readonly recent: IncompleteMessages,
    private readonly rules: ProjectRules,
    private readonly apps: NamedApps,
  ) {}

  async of(caller: Principal, { app_id: appId, active }: TriggerRow): Promise<TriggerWarning[]> {
    if (!active) return [];
    const policy = (await this.rules.of(caller.projectId)).channels.get(appId)?.route_policy ?? 'both';
    if (policy === 'chief_of_staff') {
      const app = await this.apps.nameOf(caller, appId);
      const message = `No trigger of the App ${app} is asked: the route policy of its channel is chief_of_staff. Set it to both, triggers or chief_of_staff_unless_triggered.`;
      return [{ code: 'triggers_not_asked', message }];
    }
    const { incomplete, seen } = await this.recent.of(caller, appId);
    if (incomplete === 0) return [];
    const app = await this.apps.nameOf(caller, appId);
    const message = `${incomplete} of the last ${seen} messages of the App ${app} had no event_type or no is_bot, and triggers need both. ${fate[policy]}. Have its adapter set them in the answers of /parse-inbound.`;
    return [{ code: 'messages_without_event_type', message }];
  }
}
