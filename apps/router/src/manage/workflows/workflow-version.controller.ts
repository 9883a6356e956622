import { Controller } from '@nestjs/common';
import { RuleHistory } from '../history/rule-history.js';
import { VersionsOf } from '../history/versions-of.js';
import { WorkflowView } from './workflow.dto.js';
import { WorkflowService } from './workflow.service.js';

const workflowVersions = VersionsOf({
  kind: 'workflow',
  tag: 'workflows',
  noun: 'Workflow',
  id: 'id',
  read: 'workflows:read',
  write: 'workflows:write',
  view: WorkflowView,
  restores: 'Make a workflow as it was in an earlier version; its status stays',
});

@Controller('api/v1/workflows/:id/versions')
export class WorkflowVersionController extends workflowVersions {
  constructor(history: RuleHistory, workflows: WorkflowService) {
    super(history, workflows);
  }
}
