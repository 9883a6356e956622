import { OneOf, time, Whole } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import type { HealthStep } from './adapter-health.repository.js';

export const healthSteps = ['minute', 'hour', 'day'] as const;

export class HealthQuery {
  @Type(() => Number)
  @Whole(1, 9_600, { optional: true, description: 'How far back. Default: one day' })
  hours: number = 24;
  @OneOf(healthSteps, { optional: true, description: 'Default: depends on how far back' })
  step?: (typeof healthSteps)[number];
}

class HealthStepView implements HealthStep {
  @ApiProperty({ ...time, description: 'Start of the step' }) at: Date;
  @ApiProperty({ type: 'integer' }) polls: number;
  @ApiProperty({ type: 'integer', description: 'Polls that found it ready' }) ready: number;
  @ApiProperty({ type: Number, nullable: true, description: 'Latency of /health; null: it never answered' })
  latency_avg_ms: number | null;
  @ApiProperty({ type: Number, nullable: true }) latency_max_ms: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'Why it was not ready, the last time that it was not' })
  reason: string | null;
}

export class AdapterHealthView {
  @ApiProperty(time) from: Date;
  @ApiProperty(time) to: Date;
  @ApiProperty({ enum: healthSteps }) step: string;
  @ApiProperty({ type: Number, nullable: true, description: 'The share of polls that found it ready, 0 to 1' })
  availability: number | null;
  @ApiProperty({ type: [HealthStepView], description: 'Steps without a poll are left out' })
  series: HealthStepView[];
}
