import type { CheckResult, CheckStatus, ConformanceReport, PointResult, PointStatus } from '#libs/adapter-sdk';
import { idOf, JsonObject, PageOf, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import {
  type ConformanceRunRow,
  type ConformanceState,
  conformanceStates,
} from '../../entities/conformance-run.entity.js';

const checkStatuses = ['passed', 'failed', 'skipped', 'not_applicable'];

export class BeginConformanceRun {
  @JsonObject({
    optional: true,
    description: "The adapter's conformance.json without `provider`; checks without their fixtures are skipped",
  })
  fixtures?: Record<string, unknown>;
}

class CheckFailureView {
  @ApiProperty({ description: 'The call that failed, without credentials' }) request: string;
  @ApiProperty() expected: string;
  @ApiProperty() got: string;
  @ApiProperty({ description: 'What to do about it' }) advice: string;
}

class CheckResultView implements CheckResult {
  @ApiProperty({ description: 'Point and name' }) id: string;
  @ApiProperty() title: string;
  @ApiProperty({ enum: checkStatuses }) status: CheckStatus;
  @ApiProperty({ required: false, description: 'Why it was skipped or does not apply' }) reason?: string;
  @ApiProperty({ type: CheckFailureView, required: false }) failure?: CheckFailureView;
}

class PointResultView implements PointResult {
  @ApiProperty({ type: 'integer' }) point: number;
  @ApiProperty() title: string;
  @ApiProperty({ enum: [...checkStatuses, 'incomplete'] }) status: PointStatus;
  @ApiProperty({ type: [CheckResultView] }) checks: CheckResultView[];
}

class SummaryView {
  @ApiProperty({ type: 'integer' }) passed: number;
  @ApiProperty({ type: 'integer' }) failed: number;
  @ApiProperty({ type: 'integer' }) skipped: number;
  @ApiProperty({ type: 'integer' }) not_applicable: number;
}

class ReportView implements Partial<ConformanceReport> {
  @ApiProperty({ type: [PointResultView], description: 'Points that have run' }) points: PointResultView[];
  @ApiProperty({ required: false, description: 'Whether no check failed; set when the run has finished' }) ok?: boolean;
  @ApiProperty({ type: SummaryView, required: false }) summary?: SummaryView;
  @ApiProperty({ type: String, required: false, nullable: true }) version?: string | null;
  @ApiProperty({ type: String, required: false, nullable: true }) adapter?: string | null;
  @ApiProperty({ required: false }) contract?: '1';
  @ApiProperty({ required: false }) url?: string;
  @ApiProperty({ ...time, required: false }) started_at?: string;
  @ApiProperty({ type: 'integer', required: false }) duration_ms?: number;
}

/** A run in a list. */
export class ConformanceRunSummary implements Omit<ConformanceRunRow, 'report'> {
  @ApiProperty(idOf('cfr')) id: string;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty(idOf('adp')) adapter_id: string;
  @ApiProperty({ enum: conformanceStates, description: 'failed: the run could not be completed' })
  state: ConformanceState;
  @ApiProperty({ type: 'integer' }) points_done: number;
  @ApiProperty({ type: 'integer' }) points_total: number;
  @ApiProperty({ type: String, nullable: true, description: 'Why it failed' }) error: string | null;
  @ApiProperty() started_by: string;
  @ApiProperty({ ...time, description: 'When it last made progress' }) heard_at: Date;
  @ApiProperty({ ...time, nullable: true }) finished_at: Date | null;
  @ApiProperty(time) created_at: Date;
}

export class ConformanceRunView extends ConformanceRunSummary implements ConformanceRunRow {
  @ApiProperty({ type: ReportView, nullable: true, description: 'Null before the first point' })
  report: ConformanceRunRow['report'];
}

export class ConformanceRunPage extends PageOf(ConformanceRunSummary) {}
