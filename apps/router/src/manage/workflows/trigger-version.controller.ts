import { Controller } from '@nestjs/common';
import { RuleHistory } from '../history/rule-history.js';
import { VersionsOf } from '../history/versions-of.js';
import { TriggerView } from './trigger.dto.js';
import { TriggerService } from './trigger.service.js';

const triggerVersions = VersionsOf({
  kind: 'trigger',
  tag: 'triggers',
  noun: 'Trigger',
  id: 'id',
  read: 'workflows:read',
  write: 'workflows:write',
  view: TriggerView,
  restores: 'Make a trigger as it was in an earlier version; active or not, it stays',
});

@Controller('api/v1/triggers/:id/versions')
export class TriggerVersionController extends triggerVersions {
  constructor(history: RuleHistory, triggers: TriggerService) {
    super(history, triggers);
  }
}
