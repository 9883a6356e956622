import { idOf, PageOf, time } from '#libs/service-kit';
import { WorkflowStepFields } from './workflow-step.dto.js';
import { ApiProperty } from '@nestjs/swagger';
import type { WorkflowRow, WorkflowStatus } from '../../entities/rules.entity.js';

export class WorkflowView implements WorkflowRow {
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty({ type: 'integer' }) id: number;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty() name: string;
  @ApiProperty({ ...idOf('agt'), nullable: true, description: "Null: the project's Chief of Staff" }) agent_id:
    string | null;
  @ApiProperty() instructions: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'JSON Schema that the output of its runs holds to; null: they have none',
  })
  output_schema: object | null;
  @ApiProperty({
    type: [WorkflowStepFields],
    nullable: true,
    description: 'What its runs do, in this order; null: the agent works on the message, and nothing else',
  })
  steps: WorkflowStepFields[] | null;
  @ApiProperty({ enum: ['active', 'suspended', 'off'] }) status: WorkflowStatus;
  @ApiProperty(time) created_at: Date;
  @ApiProperty(time) updated_at: Date;
}

export class WorkflowPage extends PageOf(WorkflowView) {}

export class DiscardedView {
  @ApiProperty({ type: 'integer', description: 'Runs that were cancelled' }) discarded: number;
}
