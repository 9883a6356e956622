import { idOf, PageOf, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import type { Verdict } from '../../entities/message.entity.js';
import type { TriggerRow } from '../../entities/rules.entity.js';
import type { ClauseResult, FilterProblem } from '#libs/expressions';
import type { TriggerWarning } from './trigger-warnings.js';
import type { DryRunReport, TriedMessage } from './trigger-trial.service.js';

export class TriggerView implements TriggerRow {
  @ApiProperty(idOf('trg')) id: string;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty(idOf('app')) app_id: string;
  @ApiProperty({ type: 'integer' }) workflow_id: number;
  @ApiProperty({ type: [String], description: 'Empty: every event of the App' }) event_types: string[];
  @ApiProperty({ type: String, nullable: true, description: 'A CEL expression; null: every such event' }) where:
    string | null;
  @ApiProperty({ type: 'integer', nullable: true }) limit_per_minute: number | null;
  @ApiProperty({ type: 'integer', nullable: true }) contact_limit_per_hour: number | null;
  @ApiProperty({ type: 'integer', nullable: true }) debounce_seconds: number | null;
  @ApiProperty({ type: 'integer', nullable: true }) debounce_max_seconds: number | null;
  @ApiProperty() active: boolean;
  @ApiProperty(time) created_at: Date;
}

class TriggerWarningView implements TriggerWarning {
  @ApiProperty({ enum: ['messages_without_event_type', 'triggers_not_asked'] }) code: TriggerWarning['code'];
  @ApiProperty({ description: 'Names the App, what it means for its messages, and what to do' }) message: string;
}

/** One trigger, with what it means for its App. */
export class WarnedTriggerView extends TriggerView {
  @ApiProperty({ type: [TriggerWarningView], description: 'What the active trigger changes, or cannot do' })
  warnings: TriggerWarningView[];
}

export class TriggerPage extends PageOf(TriggerView) {}

class ClauseView implements ClauseResult {
  @ApiProperty() clause: string;
  @ApiProperty({ enum: ['true', 'false', 'error'] }) result: ClauseResult['result'];
  @ApiProperty({ type: String, nullable: true, description: 'The value that it compared, or why it failed' })
  seen: string | null;
}

class FilterProblemView implements FilterProblem {
  @ApiProperty() message: string;
  @ApiProperty({ type: 'integer', description: 'Position of the first character, from 0' }) start: number;
  @ApiProperty({ type: 'integer', description: 'Position after the last character' }) end: number;
}

class DryRunVerdict implements TriedMessage {
  @ApiProperty(idOf('msg')) message_id: string;
  @ApiProperty(idOf('evt')) receipt_id: string;
  @ApiProperty({ enum: ['matched', 'filtered', 'filter_error'] }) verdict: Verdict['verdict'];
  @ApiProperty({ type: String, nullable: true }) reason: string | null;
  @ApiProperty({ type: [ClauseView], description: 'Clauses of the expression, each evaluated by itself' })
  clauses: ClauseView[];
  @ApiProperty(time) received_at: Date;
  @ApiProperty() event_type: string;
  @ApiProperty() sender: string;
  @ApiProperty({ description: 'The beginning of the text' }) text: string;
}

export class DryRunView implements DryRunReport {
  @ApiProperty({
    type: FilterProblemView,
    nullable: true,
    description: 'Why the expression cannot run; nothing is tried',
  })
  problem: FilterProblemView | null;
  @ApiProperty({ type: 'integer' }) tried: number;
  @ApiProperty({ type: 'integer' }) matched: number;
  @ApiProperty({ type: 'integer' }) filtered: number;
  @ApiProperty({ type: 'integer' }) filter_error: number;
  @ApiProperty({ type: [DryRunVerdict], description: 'The newest messages first' }) verdicts: DryRunVerdict[];
}
