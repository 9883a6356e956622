import { idOf, OneOf, OrderedQuery, Text } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { type Approval, approvalReasons } from '../../entities/approval.entity.js';

const states = ['pending', 'approved', 'refused', 'expired', 'cancelled'] as const;

export class ApprovalQuery extends OrderedQuery {
  @Text(200, { optional: true, minLength: 1, description: "Part of the tool's name, ignoring case" }) search?: string;
  @OneOf(states, { optional: true }) state?: string;
  @Text(100, { optional: true, description: 'Only of turns that this event started' }) event_id?: string;
}

export class DecideApproval {
  @Text(1_000, { optional: true, description: 'For people who read it later; the model does not see it' })
  note?: string;
}

export class ApprovalView {
  @ApiProperty(idOf('apr')) id: string;
  @ApiProperty() agent_id: string;
  @ApiProperty(idOf('trn')) turn_id: string;
  @ApiProperty(idOf('evt')) receipt_id: string;
  @ApiProperty() tool: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: "Pin of the tool's definition at that time; null: a built-in tool",
  })
  tool_pin: string | null;
  @ApiProperty({ enum: ['read', 'write', 'destructive'] }) grade: string;
  @ApiProperty({ type: 'object', additionalProperties: true }) arguments: Record<string, unknown>;
  @ApiProperty({ type: [String] }) approvers: string[];
  @ApiProperty({
    enum: [...approvalReasons],
    description:
      'over_may_do: the call has a higher grade than may_do; untrusted_content, partner_content: what the agent had ' +
      'read before is not trusted enough for the call (docs/security.md); workflow_step: no call, but a step of a ' +
      'workflow that asks: `tool` is its name, and `arguments` what it asks',
  })
  reason: string;
  @ApiProperty({ type: [String], description: 'Who asked for the turn: none of them may decide, unless decide_own' })
  requested_by: string[];
  @ApiProperty({ description: 'People among the approvers may decide although they asked for the turn' })
  decide_own: boolean;
  @ApiProperty({ enum: [...states] }) state: string;
  @ApiProperty({ type: String, nullable: true }) decided_by: string | null;
  @ApiProperty({ type: String, nullable: true }) note: string | null;
  @ApiProperty({ format: 'date-time' }) expires_at: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) decided_at: string | null;
  @ApiProperty({ format: 'date-time' }) created_at: string;
}

export class ApprovalPage {
  @ApiProperty({ type: [ApprovalView] }) data: ApprovalView[];
  @ApiProperty({ type: String, nullable: true }) next_cursor: string | null;
}

export function approvalView(row: Approval): ApprovalView {
  const { organization_id: _organization, project_id: _project, app_id: _app, call_ref: _ref, ...shown } = row;
  return {
    ...shown,
    expires_at: new Date(row.expires_at).toISOString(),
    decided_at: row.decided_at ? new Date(row.decided_at).toISOString() : null,
    created_at: new Date(row.created_at).toISOString(),
  };
}
