import { terminalOutcomes } from '#libs/contracts';
import type { Latency } from '#libs/journal';
import { OneOf, Text, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { messageSource } from '../routing/message-source.js';

export const steps = ['minute', 'hour', 'day'] as const;
export type Step = (typeof steps)[number];

export class StatisticsQuery {
  @Text(40, { optional: true, description: 'RFC 3339; an hour before `to` when absent' }) from?: string;
  @Text(40, { optional: true, description: 'RFC 3339, not included; now when absent' }) to?: string;
  @OneOf(steps, { optional: true, description: 'Whole ones in UTC; by the length of the time when absent' })
  step?: Step;
  @Text(100, { optional: true, description: 'Of this App alone' }) app_id?: string;
}

class OutcomeCount {
  @ApiProperty({ enum: terminalOutcomes }) outcome: string;
  @ApiProperty({ type: 'integer' }) count: number;
}

class LabelCount {
  @ApiProperty() label: string;
  @ApiProperty({ type: 'integer' }) count: number;
}

class LatencyView implements Latency {
  @ApiProperty({ type: 'integer' }) count: number;
  @ApiProperty({ type: Number, nullable: true, description: 'Half took no longer; null: there are none' })
  p50_ms: number | null;
  @ApiProperty({ type: Number, nullable: true, description: '99 of 100 took no longer' }) p99_ms: number | null;
}

/** What was counted over some time. Durations are counted in classes: a percentile is accurate to about a quarter. */
export class CountsView {
  @ApiProperty({ type: 'integer', description: 'Webhooks that were taken' }) received: number;
  @ApiProperty({ type: [OutcomeCount], description: 'Events by how they ended, at the time at which they did' })
  outcomes: OutcomeCount[];
  @ApiProperty({ type: [LabelCount], description: 'Refused requests, by code' }) refused: LabelCount[];
  @ApiProperty({ type: [LabelCount], description: 'Turns by how they ended' }) turns: LabelCount[];
  @ApiProperty({ type: [LabelCount], description: 'Deliveries: delivered, unknown, dead' }) deliveries: LabelCount[];
  @ApiProperty({ type: LatencyView, description: 'How long webhooks waited for their answer' }) ack: LatencyView;
  @ApiProperty({ type: LatencyView, description: 'How long turns took' }) turn: LatencyView;
  @ApiProperty({ type: LatencyView, description: 'How long the call took that delivered' }) delivery: LatencyView;
  @ApiProperty({
    type: LatencyView,
    description: 'From the receipt of an event until its reply was delivered; a replay counts from the first receipt',
  })
  reply: LatencyView;
}

export class StatisticsStep extends CountsView {
  @ApiProperty({ ...time, description: 'Its begin' }) at: Date;
}

export class AppStatistics extends CountsView {
  @ApiProperty(messageSource) app_id: string;
}

export class MessageStatisticsView {
  @ApiProperty(time) from: Date;
  @ApiProperty(time) to: Date;
  @ApiProperty({ enum: steps }) step: Step;
  @ApiProperty({ type: CountsView, description: 'Of the whole time' }) total: CountsView;
  @ApiProperty({ type: [StatisticsStep], description: 'Every step, also those in which nothing was counted' })
  series: StatisticsStep[];
  @ApiProperty({
    type: [AppStatistics],
    description: 'Of the whole time, by App; those of which something was counted',
  })
  apps: AppStatistics[];
}
