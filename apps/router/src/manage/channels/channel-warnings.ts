import type { ProjectScope } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import type { ChannelRow } from '../../entities/rules.entity.js';
import { ProjectRules } from '../../path/rules/project-rules.js';
import { IncompleteMessages } from './incomplete-messages.js';
import { NamedApps } from './named-apps.js';

/** Messages that reach nobody as a channel is set up, and what to do about it. */
export interface ChannelWarning {
  code: 'messages_without_event_type' | 'no_trigger';
  message: string;
}

/** Says what it means for an App's messages that its channel leaves all of them to triggers. */
@Injectable()
export class ChannelWarnings {
  constructor(
    private readonly rules: ProjectRules,
    private readonly recent: IncompleteMessages,
    private readonly apps: NamedApps,
  ) {}

  async of(
    caller: ProjectScope,
    { app_id: appId, route_policy: policy }: Pick<ChannelRow, 'app_id' | 'route_policy'>,
  ): Promise<ChannelWarning[]> {
    if (policy !== 'triggers') return [];
    const { name, kind } = await this.apps.describe(caller, appId);
    const { triggers } = await this.rules.of(caller.projectId);
    // The platform itself reads what the Webhook app receives, and gives each message both.
    const listened = triggers.has(appId);
    const incomplete = kind === 'builtin' ? [] : [await this.withoutEventType(caller, appId, { name, listened })];
    return listened ? incomplete : [noTrigger(name), ...incomplete];
  }

  private async withoutEventType(
    caller: ProjectScope,
    appId: string,
    { name, listened }: { name: string; listened: boolean },
  ): Promise<ChannelWarning> {
    const { incomplete, seen } = await this.recent.of(caller, appId);
    const lately = seen === 0 ? 'It has had no message so far' : `${incomplete} of its last ${seen} messages had not`;
    const end = listened ? 'it is a dead letter (contract_violation)' : 'a trigger will make it a dead letter';
    const message = `A message of the App ${name} that has no event_type or no is_bot reaches nobody: the channel leaves all to triggers, which need both; ${end}. ${lately}. Have its adapter set them in the answers of /parse-inbound, or set route_policy to both or chief_of_staff_unless_triggered.`;
    return { code: 'messages_without_event_type', message };
  }
}

function noTrigger(name: string): ChannelWarning {
  const message = `Messages of the App ${name} reach nobody: the channel leaves all to triggers, and no active trigger names the App. Create one, or set route_policy to both, chief_of_staff or chief_of_staff_unless_triggered.`;
  return { code: 'no_trigger', message };
}
