import { AsGiven, idOf, NestedList, OneOf, Text, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { IsISO8601 } from 'class-validator';
import type { MissedAsk } from './missed-ask.entity.js';

export class AskForMissed {
  @AsGiven() @IsISO8601() @ApiProperty({ ...time, description: 'Since when webhooks were missed' }) since: string;
}

/** What the ingress says: nothing was received, or something refused. */
class Outage {
  @Text(100, { nullable: true }) app_id: string | null;
  @AsGiven() @IsISO8601() since: string;
  @AsGiven() @IsISO8601() until: string;
}

export class Outages {
  @NestedList(Outage, 1_000) outages: Outage[];
}

export class MissedAskView {
  @ApiProperty(idOf('app')) app_id: string;
  @OneOf(['queued', 'running', 'done', 'dead']) state: MissedAsk['state'];
  @ApiProperty(time) since: Date;
  @ApiProperty(time) until: Date;
  @ApiProperty({ ...time, description: 'When the provider is asked, or was to be' }) due_at: Date;
  @ApiProperty({ ...time, nullable: true }) ended_at: Date | null;
  @ApiProperty({ type: 'integer', description: 'Deliveries that the provider was asked to send again' })
  redeliveries: number;
  @ApiProperty({ type: 'integer', description: 'Requests that were fetched and stored' }) stored: number;
  @ApiProperty({ type: String, nullable: true, description: 'Why it has not been asked' }) reason: string | null;
  @ApiProperty({ type: String, nullable: true }) detail: string | null;
}
