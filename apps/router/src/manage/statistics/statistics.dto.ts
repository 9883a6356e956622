import { type Behind, behindMs } from '#libs/list-reads';
import { terminalOutcomes } from '#libs/contracts';
import type { Latency } from '#libs/journal';
import { OneOf, Text, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { messageSource } from '../messages/message.dto.js';

export const steps = ['minute', 'hour', 'day'] as const;
export type Step = (typeof steps)[number];

export class StatisticsQuery {
  @Text(40, { optional: true, description: 'RFC 3339; an hour before `to` when absent' }) from?: string;
  @Text(40, { optional: true, description: 'RFC 3339, not included; now when absent' }) to?: string;
  @OneOf(steps, { optional: true, description: 'Whole steps in UTC; chosen by the length of the span when absent' })
  step?: Step;
  @Text(100, { optional: true, description: 'Only of this App' }) app_id?: string;
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
  @ApiProperty({ type: Number, nullable: true, description: 'Median; null: there are none' })
  p50_ms: number | null;
  @ApiProperty({ type: Number, nullable: true, description: '99th percentile' }) p99_ms: number | null;
}

/** What was counted over some time. Durations are counted in classes: a percentile is accurate to about a quarter. */
export class CountsView {
  @ApiProperty({ type: 'integer', description: 'Webhooks that were accepted' }) received: number;
  @ApiProperty({ type: [OutcomeCount], description: 'Events by outcome, counted when they ended' })
  outcomes: OutcomeCount[];
  @ApiProperty({ type: [LabelCount], description: 'Refused requests, by code' }) refused: LabelCount[];
  @ApiProperty({ type: [LabelCount], description: 'Turns by outcome' }) turns: LabelCount[];
  @ApiProperty({ type: [LabelCount], description: 'Deliveries: delivered, unknown, dead' }) deliveries: LabelCount[];
  @ApiProperty({ type: LatencyView, description: 'Time until a webhook was acknowledged' }) ack: LatencyView;
  @ApiProperty({ type: LatencyView, description: 'Duration of turns' }) turn: LatencyView;
  @ApiProperty({ type: LatencyView, description: 'Duration of the call that delivered' }) delivery: LatencyView;
  @ApiProperty({
    type: LatencyView,
    description: 'From the receipt of an event until its reply was delivered; a replay counts from the first receipt',
  })
  reply: LatencyView;
}

export class StatisticsStep extends CountsView {
  @ApiProperty({ ...time, description: 'Start of the step' }) at: Date;
}

export class AppStatistics extends CountsView {
  @ApiProperty(messageSource) app_id: string;
}

export class MessageStatisticsView implements Behind {
  @ApiProperty(time) from: Date;
  @ApiProperty(time) to: Date;
  @ApiProperty({ enum: steps }) step: Step;
  @ApiProperty({ type: CountsView, description: 'Of the whole span' }) total: CountsView;
  @ApiProperty({ type: [StatisticsStep], description: 'Every step, including those in which nothing was counted' })
  series: StatisticsStep[];
  @ApiProperty({
    type: [AppStatistics],
    description: 'Of the whole span, by App; Apps without counts are left out',
  })
  apps: AppStatistics[];
  @ApiProperty(behindMs) behind_ms: number | null;
}
